//! Mutants of the grader of exercises.

mutants! {
    "exercises/src/kinds/predict.rs", "grades" {
        "what a thread reads is not compared": "if «said.reads != right.reads» {" => "false";
        "what a thread writes is not compared":
            "if «said.writes == right.writes» {" => "true";
        "a race that is left out is not missed":
            "match «right.difference(said).next()» {" => "right.difference(&right).next()";
        "how the run ends is not compared": "if «*ends != self.ends» {" => "false";
    }
    "exercises/src/kinds/untypable.rs", "grades" {
        "any rule may reject the program":
            "self.rule.filter(|rule| «*rule != rejection.rule.id()»)" => "{ let _ = rule; false }";
        "a program that is stuck is race-free": "«ends(&program)»?;" => "{ let _ = ends; Ok::<(), Box<Fault>>(()) }";
    }
    "exercises/src/kinds/repair.rs", "grades" {
        "a part of the kernel may be missing": "if «rest.len() != self.tokens.len()» {" => "false";
        "any number of barriers is the fewest": "if «barriers > self.barriers» {" => "false";
    }
    "exercises/src/kinds/derive/types.rs", "grades" {
        "a derivation may be one of another program":
            "if *context != self.context || «**program != self.body» {" => "false";
    }
    "exercises/src/kinds/refute/situations.rs", "grades" {
        "each situation refutes a theorem":
            "match «evidence.history.is_empty() == typed.races.is_empty()» {" => "false";
    }
    "exercises/src/kinds/tool.rs", "grades" {
        "what is true of a kernel does not matter": "if «found != truth» {" => "false";
    }
    "exercises/src/kinds/mutant/memory.rs", "grades" {
        "the evaluator of mutants does not see what a thread itself wrote":
            "Memory::Right => «mine.or_else(|| newest_first.find_map(written))»," => "newest_first.find_map(written).or(mine)";
    }
    "exercises/src/limits.rs", "grades" {
        "an answer may be as long as it likes": "if «answer.len() > BYTES» {" => "false";
    }
}
