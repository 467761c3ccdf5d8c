//! Mutants of enumeration.

mutants! {
    "protocols/src/enumerate/shadow.rs", "shadow words" {
        "a cell forgets every thread but the last": "«((old >> MODE_BITS) | old) & 31»" => "0";
        "accesses of earlier phases count":
            "«(old >> WHO) >> epoch_shift == who >> epoch_shift»" => "true";
        "a cell remembers only the last access of a thread": "«last |= bit;»" => "last = bit;";
    }
    "protocols/src/enumerate/pairs.rs", "counting pairs" {
        "pairs of one statement are counted as if threads stood in a row":
            "«n * n.saturating_sub(1) / 2»" => "n.saturating_sub(1)";
        "a statement does not race with itself": "for t in &statements[«i..»] {" => "i + 1..";
        "a thread races with itself when it executes two statements":
            "«a.len() as u64 * b.len() as u64 - together»" => "a.len() as u64 * b.len() as u64";
    }
    "protocols/src/enumerate/machine.rs", "register code" {
        "a loop runs once too often": "«next < r[upper as usize]»" => "next <= r[upper as usize]";
        "a loop always runs at least once": "«r[counter as usize] >= r[upper as usize]»" => "false";
        "a branch is taken when its condition does not hold":
            "Instr::Unless(c, to) => {\n                    if «r[c as usize] == 0» {"
            => "r[c as usize] != 0";
    }
    "protocols/src/enumerate/compile.rs", "register code" {
        "an expression of two variables is computed where the first is known":
            "self.emit(site, «dl.max(dr)», |dst| binary(*op, dst, l, r))?" => "dl.min(dr)";
    }
    "protocols/src/enumerate/driver.rs", "divergence" {
        "threads at different barriers are together":
            "«!self.together(first.1, here.1)»" => "false";
    }
    "protocols/src/enumerate/groups.rs", "groups" {
        "a group goes on with its first thread":
            "here && «stops[members.clone()].iter().all(|stop| *stop == first)»" => "true";
        "threads pass barriers that their groups do not": "if «member.passed == end» {" => "false";
        "threads of a narrower group race behind its barriers":
            "Some(scope) => «launch.group(scope, thread).first»,"
            => "{ let _ = scope; thread.index }";
    }
}
