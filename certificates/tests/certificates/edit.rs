//! Derivations with nodes changed.

use babycuda_semantics::{Derivation, Premise, Rule};
use babycuda_typing::{Derivation as TypeDerivation, Rule as TypeRule};
use std::sync::Arc;

/// Changes every node, the root first.
pub fn everywhere(root: &Derivation, change: &impl Fn(&mut Derivation)) -> Derivation {
    let mut root = root.clone();
    change(&mut root);
    for premise in &mut root.premises {
        if let Premise::Derived(child) = premise {
            *premise = Premise::Derived(Arc::new(everywhere(child, change)));
        }
    }
    root
}

/// Changes the first node, in pre-order, that uses the rule.
///
/// # Panics
/// When there is none.
pub fn first(root: &Derivation, rule: Rule, change: impl Fn(&mut Derivation)) -> Derivation {
    let mut root = root.clone();
    assert!(change_first(&mut root, rule, &change), "no instance of {rule}");
    root
}

fn change_first(node: &mut Derivation, rule: Rule, change: &impl Fn(&mut Derivation)) -> bool {
    if node.rule == rule {
        change(node);
        return true;
    }
    node.premises.iter_mut().any(|premise| {
        let Premise::Derived(child) = premise else { return false };
        let mut changed = (**child).clone();
        let found = change_first(&mut changed, rule, change);
        if found {
            *premise = Premise::Derived(Arc::new(changed));
        }
        found
    })
}

/// Changes every node of a typing derivation, the root first.
pub fn every_type(root: &TypeDerivation, change: &impl Fn(&mut TypeDerivation)) -> TypeDerivation {
    let mut root = root.clone();
    change(&mut root);
    root.premises = root.premises.iter().map(|premise| every_type(premise, change)).collect();
    root
}

/// Changes the first node of a typing derivation, in pre-order, that uses the rule.
///
/// # Panics
/// When there is none.
pub fn first_type(
    root: &TypeDerivation,
    rule: TypeRule,
    change: impl Fn(&mut TypeDerivation),
) -> TypeDerivation {
    let mut root = root.clone();
    assert!(change_first_type(&mut root, rule, &change), "no instance of {rule}");
    root
}

fn change_first_type(
    node: &mut TypeDerivation,
    rule: TypeRule,
    change: &impl Fn(&mut TypeDerivation),
) -> bool {
    if node.rule == rule {
        change(node);
        return true;
    }
    node.premises.iter_mut().any(|premise| change_first_type(premise, rule, change))
}
