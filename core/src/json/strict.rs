//! Reading JSON to the letter, with the place of what is wrong.
//!
//! A reader that guesses may take a document for something that another reader does not see in it.
//! So of every type that is read: an object stands where an object belongs (derived readers also
//! take an array of the fields), no key is unknown or stands twice, and nothing nests deeper than
//! [`DEEPEST`]. [`Value`] stands between a format and the types, and checks that.

use super::{DEEPEST, JsonError};
use crate::deep::grow;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

/// Reads the whole text; `deep`: nested up to [`DEEPEST`], else up to 128.
pub(super) fn read<T: DeserializeOwned>(text: &str, deep: bool) -> Result<T, JsonError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    if deep {
        deserializer.disable_recursion_limit();
    }
    let place = Place::default();
    let value = Value { inner: &mut deserializer, place: &place, role: Role::Any };
    let read = T::deserialize(value).and_then(|value| deserializer.end().map(|()| value));
    read.map_err(|error| match place.failed.into_inner() {
        Some(place) => JsonError::Place { place, error },
        None => JsonError::Json(error),
    })
}

/// Where the reader is.
#[derive(Default)]
struct Place {
    path: RefCell<Vec<String>>,
    /// The string or number that was read last where a key or the name of a variant stands.
    key: RefCell<String>,
    /// Where something was wrong: a JSON pointer.
    failed: RefCell<Option<String>>,
}

impl Place {
    /// Reads what stands one step further in.
    fn inside<T, E: Error>(
        &self,
        step: String,
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if self.path.borrow().len() >= DEEPEST {
            return Err(E::custom(format!("nested more than {DEEPEST} deep")));
        }
        self.path.borrow_mut().push(step);
        let result = grow(read);
        if result.is_err() {
            self.fail();
        }
        self.path.borrow_mut().pop();
        result
    }

    /// Notes the place, unless something further in was wrong first; of a very long one only both
    /// ends.
    fn fail(&self) {
        self.failed.borrow_mut().get_or_insert_with(|| {
            /// Steps of a longer place that are shown at either end.
            const SHOWN: usize = 32;
            let path = self.path.borrow();
            let hidden = SHOWN..path.len().saturating_sub(SHOWN).max(SHOWN);
            let step = |(n, step): (usize, &String)| match hidden.contains(&n) {
                false => format!("/{}", step.replace('~', "~0").replace('/', "~1")),
                true if n == hidden.start => "/…".to_owned(),
                true => String::new(),
            };
            path.iter().enumerate().map(step).collect()
        });
    }

    fn take_key(&self) -> String {
        std::mem::take(&mut self.key.borrow_mut())
    }
}

/// What is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Any,
    /// A structure: nothing but an object will do.
    Object,
    /// A key, or the name of a variant.
    Key,
}

/// A deserializer, a visitor or a seed that knows its place.
struct Value<'p, T> {
    inner: T,
    place: &'p Place,
    role: Role,
}

impl<'p, T> Value<'p, T> {
    fn with<U>(&self, inner: U) -> Value<'p, U> {
        Value { inner, place: self.place, role: self.role }
    }
}

/// Passes calls on, to the deserializer with the visitor in its place.
macro_rules! pass {
    ($($call:ident($($argument:ident: $type:ty),*) as $role:ident;)*) => {
        $(fn $call<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            let role = if self.role == Role::Key { Role::Key } else { Role::$role };
            let visitor = Value { inner: visitor, place: self.place, role };
            self.inner.$call($($argument,)* visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Value<'_, D> {
    type Error = D::Error;

    pass! {
        deserialize_any() as Any;
        deserialize_bool() as Any;
        deserialize_i8() as Any;
        deserialize_i16() as Any;
        deserialize_i32() as Any;
        deserialize_i64() as Any;
        deserialize_i128() as Any;
        deserialize_u8() as Any;
        deserialize_u16() as Any;
        deserialize_u32() as Any;
        deserialize_u64() as Any;
        deserialize_u128() as Any;
        deserialize_f32() as Any;
        deserialize_f64() as Any;
        deserialize_char() as Any;
        deserialize_str() as Any;
        deserialize_string() as Any;
        deserialize_bytes() as Any;
        deserialize_byte_buf() as Any;
        deserialize_option() as Any;
        deserialize_unit() as Any;
        deserialize_unit_struct(name: &'static str) as Any;
        deserialize_newtype_struct(name: &'static str) as Any;
        deserialize_seq() as Any;
        deserialize_tuple(len: usize) as Any;
        deserialize_tuple_struct(name: &'static str, len: usize) as Any;
        deserialize_map() as Any;
        deserialize_struct(name: &'static str, fields: &'static [&'static str]) as Object;
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) as Any;
        deserialize_identifier() as Any;
    }

    /// What a derived reader does with the value of a key that it does not know.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, D::Error> {
        Err(D::Error::custom("no such key is known"))
    }
}

/// Passes a scalar on, and notes it where it is a key.
macro_rules! scalars {
    ($($call:ident: $type:ty;)*) => {
        $(fn $call<E: Error>(self, value: $type) -> Result<V::Value, E> {
            if self.role == Role::Key {
                *self.place.key.borrow_mut() = value.to_string();
            }
            self.inner.$call(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Value<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    scalars! {
        visit_bool: bool;
        visit_i64: i64;
        visit_u64: u64;
        visit_f64: f64;
        visit_str: &str;
        visit_borrowed_str: &'de str;
        visit_string: String;
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let deserializer = self.with(deserializer);
        self.inner.visit_some(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<V::Value, D::Error> {
        let deserializer = self.with(deserializer);
        self.inner.visit_newtype_struct(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        if self.role == Role::Object {
            return Err(A::Error::invalid_type(Unexpected::Seq, &self.inner));
        }
        self.inner.visit_seq(Items { items, place: self.place, next: 0 })
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        let entries = Entries { entries, place: self.place, keys: HashSet::new() };
        self.inner.visit_map(entries)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let access = Value { inner: access, place: self.place, role: Role::Any };
        self.inner.visit_enum(access)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Value<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        let deserializer = self.with(deserializer);
        self.inner.deserialize(deserializer)
    }
}

/// The items of an array.
struct Items<'p, A> {
    items: A,
    place: &'p Place,
    next: usize,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Items<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let (place, step) = (self.place, self.next.to_string());
        self.next += 1;
        let seed = Value { inner: seed, place, role: Role::Any };
        place.inside(step, || self.items.next_element_seed(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.items.size_hint()
    }
}

/// The entries of an object.
struct Entries<'p, A> {
    entries: A,
    place: &'p Place,
    keys: HashSet<String>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Entries<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let seed = Value { inner: seed, place: self.place, role: Role::Key };
        let Some(read) = self.entries.next_key_seed(seed)? else { return Ok(None) };
        if let Some(twice) = self.keys.replace(self.place.key.borrow().clone()) {
            self.place.fail();
            return Err(A::Error::custom(format!("the key `{twice}` stands twice")));
        }
        Ok(Some(read))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let seed = Value { inner: seed, place: self.place, role: Role::Any };
        let key = self.place.take_key();
        self.place.inside(key, || self.entries.next_value_seed(seed))
    }
}

impl<'de, 'p, A: EnumAccess<'de>> EnumAccess<'de> for Value<'p, A> {
    type Error = A::Error;
    type Variant = Value<'p, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let seed = Value { inner: seed, place: self.place, role: Role::Key };
        let (name, content) = self.inner.variant_seed(seed)?;
        Ok((name, Value { inner: content, place: self.place, role: Role::Any }))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Value<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.with(seed);
        self.place.inside(self.place.take_key(), || self.inner.newtype_variant_seed(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let visitor = self.with(visitor);
        self.place.inside(self.place.take_key(), || self.inner.tuple_variant(len, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let visitor = Value { inner: visitor, place: self.place, role: Role::Object };
        self.place.inside(self.place.take_key(), || self.inner.struct_variant(fields, visitor))
    }
}
