//! Mutants of logs of accesses.

mutants! {
    "traces/src/check/compact.rs", "cells that race" {
        "an access of another level is forgotten":
            "|| (others != 0 && «self.alive(others, times) >> (level + 1).max(lowest) != 0»)" => "false";
        "others stay behind every barrier":
            "let levels = (1..=times.shape.grid()).filter(|level| «times.live(*level, self.time)»);" =>
                "true";
        "the last access is no other one":
            "*others = «wider | own»;" => "wider";
        "a read does not look at atomics":
            "cell.raced = write.races(0, 1, times) || «raced(cell.atomics, atomics, 1, times)»;" => "false";
        "atomics of a device do not look at those of a block":
            "self.raced = raced || «block» || device;" => "block && kind == 0";
        "atomics of one block conflict":
            "let grid = «times.shape.grid()»;\n            let block = last[0]" => "1";
    }
    "traces/src/check/times.rs", "what barriers order" {
        "a barrier of a block orders its warps alone":
            "since = «since.max(self.blocks.get(&block).copied().unwrap_or(0))»;" => "since";
        "a tile's barrier is one of its half":
            "let tile = (size + first % size) >> «tile.trailing_zeros()»;" =>
                "tile.trailing_zeros().saturating_sub(1)";
        "a mask that is a tile's is one of the tile beside":
            "size: tile as u32, first: «first + of» }" => "first + (of ^ tile)";
    }
    "traces/src/check/lanes.rs", "barriers of lanes" {
        "what lanes know is not passed on":
            "*joined = «(*known).max(*joined)»;" => "*joined";
        "an epoch is known when it begins":
            "known.is_some_and(|known| «*known > epoch»)" => "*known >= epoch";
        "clocks go on behind a barrier of the warp":
            "if «self.since != since» {" => "false";
    }
    "traces/src/check/pairs.rs", "statements that race" {
        "blocks are not told apart":
            "if apart { Some(self.last) } else { «self.apart» }" => "Some(self.last)";
        "an access of another block outlives the grid's barrier":
            "if «!times.live(grid, self.last.time)» {" => "false";
        "lanes that a barrier orders stay":
            "self.lanes = if near { «self.unordered(times).collect()» } else { Vec::new() };" => "Vec::new()";
    }
    "traces/src/check/pages.rs", "what fits into the budget" {
        "a half is left out":
            "self.later.push(«other»);" => "one";
    }
    "traces/src/check/machine.rs", "what a machine says" {
        "a machine sees no barrier":
            "let (relation, sync) = (of(level), «passed.map_or(0, of)»);" => "0";
    }
    "traces/src/binary/read.rs", "the binary format" {
        "a difference has no sign":
            "before.wrapping_add(«moved >> 1 ^ (moved & 1).wrapping_neg()»)" => "moved >> 1";
        "a number may have 70 bits":
            "if «shift == 63 && (bits > 1 || byte >= 0x80)» {" => "false";
        "bytes behind the end are passed over":
            "if «self.at < self.end» {\n                    return Err(Fault::Behind);" => "false";
    }
    "traces/src/tables.rs", "what a log may say" {
        "counts may lie":
            "match «(said_accesses, said_barriers) == (accesses, barriers)» {" => "true";
        "a tile begins anywhere":
            "if first >= self.threads || «!first.is_multiple_of(tile.into())» {" => "false";
    }
}
