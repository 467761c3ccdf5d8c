//! Longs in JSON: as naturals, so that every reader gets them exactly.

use babycuda_core::Natural;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

pub(super) fn serialize<S: Serializer>(long: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    Natural::from(*long).serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<u64, D::Error> {
    let natural = Natural::deserialize(d)?;
    natural.to_u64().ok_or_else(|| D::Error::custom(format!("{natural} has over 64 bits")))
}

/// Lists of them.
pub(super) mod list {
    use super::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    struct Long(#[serde(with = "super")] u64);

    pub(in crate::report) fn serialize<S: Serializer>(
        longs: &[u64],
        s: S,
    ) -> Result<S::Ok, S::Error> {
        s.collect_seq(longs.iter().map(|long| Long(*long)))
    }

    pub(in crate::report) fn deserialize<'de, D: Deserializer<'de>>(
        d: D,
    ) -> Result<Vec<u64>, D::Error> {
        Ok(Vec::<Long>::deserialize(d)?.into_iter().map(|Long(long)| long).collect())
    }
}
