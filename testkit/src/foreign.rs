//! The generators for `quickcheck` and `arbitrary`, behind the features of those names.
//!
//! ```text
//! #[quickcheck]
//! fn my_checker_agrees(WellTyped(program): WellTyped) -> bool { … }
//! ```

use crate::choices::Choices;
use crate::generators::{Profile, program};
use babycuda_core::Program;

macro_rules! wrappers {
    ($($(#[$doc:meta])* $name:ident = $profile:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct $name(pub Program);

        impl $name {
            /// The program that these choices make.
            pub fn from_choices(numbers: &[u16]) -> Self {
                $name(program(&mut Choices::new(numbers), Profile::$profile))
            }
        }

        #[cfg(feature = "quickcheck")]
        impl quickcheck::Arbitrary for $name {
            fn arbitrary(g: &mut quickcheck::Gen) -> Self {
                let numbers: Vec<u16> = (0..400).map(|_| u16::arbitrary(g)).collect();
                Self::from_choices(&numbers)
            }

            fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
                let smaller: Vec<Program> = crate::shrink::smaller_programs(&self.0).collect();
                Box::new(smaller.into_iter().map($name))
            }
        }

        #[cfg(feature = "arbitrary")]
        impl<'a> arbitrary::Arbitrary<'a> for $name {
            fn arbitrary(u: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
                let numbers: Vec<u16> = u.arbitrary()?;
                Ok(Self::from_choices(&numbers))
            }
        }
    )*};
}

wrappers! {
    /// A program of [`Profile::ANY`].
    Any = ANY;
    /// A program of [`Profile::PAPER`].
    Paper = PAPER;
    /// A program of [`Profile::PAPER_WELL_TYPED`].
    PaperWellTyped = PAPER_WELL_TYPED;
    /// A program of [`Profile::SYNCHRONIZED`].
    Synchronized = SYNCHRONIZED;
    /// A program of [`Profile::WELL_TYPED`].
    WellTyped = WELL_TYPED;
}

#[cfg(test)]
mod tests {
    use super::Any;

    #[test]
    fn the_simplest_choices_make_the_simplest_program() {
        assert_eq!(Any::from_choices(&[]).0.body.to_string(), "skip");
    }

    #[cfg(feature = "quickcheck")]
    #[test]
    fn quickcheck_generates_and_shrinks() {
        use quickcheck::{Arbitrary, Gen};
        let mut generator = Gen::new(100);
        let programs: Vec<Any> = (0..50).map(|_| Any::arbitrary(&mut generator)).collect();
        assert!(programs.windows(2).any(|two| two[0] != two[1]));
        for program in programs {
            assert!(program.shrink().all(|s| s != program && s.0.check_scope().is_ok()));
        }
    }

    #[cfg(feature = "arbitrary")]
    #[test]
    fn arbitrary_generates_from_any_bytes() {
        use arbitrary::{Arbitrary, Unstructured};
        let bytes: Vec<u8> = (0..=255).cycle().take(4000).collect();
        for start in 0..100 {
            let program = Any::arbitrary(&mut Unstructured::new(&bytes[start..]));
            assert!(program.is_ok_and(|p| p.0.geometry.launch().is_some()));
        }
    }
}
