#!/bin/bash -eu
# Builds the targets for OSS-Fuzz: each with what it begins with as the first corpus.
cp Cargo.lock fuzz/targets/Cargo.lock
cargo fuzz build --fuzz-dir fuzz/targets --release
# Not instrumented: it only writes files.
RUSTFLAGS="" cargo run -p babycuda-tests --example seeds -- "$WORK/seeds"
for target in $(cargo fuzz list --fuzz-dir fuzz/targets); do
  cp "fuzz/targets/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
  if compgen -G "$WORK/seeds/$target/*" >/dev/null; then
    zip --quiet --junk-paths "$OUT/${target}_seed_corpus.zip" "$WORK/seeds/$target"/*
  fi
done
