//! Memory: objects of bytes, and addresses in them.

use super::value::Byte;
use babycuda_core::Name;
use std::collections::HashMap;

/// An object, by number.
pub(super) type ObjectId = u32;

/// What an address is: an object, and how many bytes behind its beginning. A place outside of an array is a
/// place of its own, before or behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Address {
    pub(super) object: ObjectId,
    pub(super) offset: i64,
}

/// Bits of an offset. An address has the number of its object, from 1, above them, so that 0 is null.
const OFFSET: u32 = 40;

impl Address {
    /// The address as a pattern; `None`: it is too far from its object.
    pub(super) fn bits(self) -> Option<u64> {
        let half = 1i64 << (OFFSET - 1);
        let near = (-half..half).contains(&self.offset) && self.object < (1 << 23);
        let first = (u64::from(self.object) + 1) << OFFSET;
        near.then(|| first.wrapping_add_signed(self.offset))
    }

    /// The address that has the pattern; `None`: null, or near to it.
    pub(super) fn of(bits: u64) -> Option<Address> {
        let object = bits.checked_add(1 << (OFFSET - 1))? >> OFFSET;
        let offset = bits.wrapping_sub(object << OFFSET) as i64;
        Some(Address { object: u32::try_from(object.checked_sub(1)?).ok()?, offset })
    }
}

/// Whose an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// The device's: all threads share it.
    Device,
    /// A block's.
    Block(u64),
    /// Nobody's: it is constant, and no accesses of it are recorded.
    Constant,
    /// A thread's, by its number in the launch.
    Thread(usize),
}

/// An object.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) owner: Owner,
    /// The array that it is, of those that are recorded.
    pub(super) array: Option<usize>,
    /// Its bytes, where there is no end of it: by pages.
    pages: HashMap<i64, Box<[Byte; PAGE]>>,
    /// Its bytes, where it has a size.
    bytes: Option<Vec<Byte>>,
    /// What an element of an array holds at first.
    fill: Vec<Byte>,
}

const PAGE: usize = 64;

/// An array that is recorded.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) name: Name,
    /// The size of its elements.
    pub(super) element: u64,
    pub(super) shared: bool,
}

/// All objects.
#[derive(Default, Debug)]
pub(super) struct Memory {
    pub(super) objects: Vec<Object>,
    /// Pages and bytes of variables that there are.
    pub(super) used: u64,
}

/// An access of what is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outside;

impl Memory {
    /// An array without an end, whose elements hold these bytes.
    pub(super) fn array(&mut self, array: usize, owner: Owner, fill: Vec<Byte>) -> ObjectId {
        let fill = if fill.is_empty() { vec![Byte::Known(0)] } else { fill };
        let (pages, bytes) = (HashMap::new(), None);
        self.objects.push(Object { owner, array: Some(array), pages, bytes, fill });
        (self.objects.len() - 1) as ObjectId
    }

    /// A variable of so many bytes, of which nothing is known.
    pub(super) fn variable(&mut self, owner: Owner, size: u64) -> ObjectId {
        self.used += size;
        let (pages, bytes) = (HashMap::new(), Some(vec![Byte::Unknown; size as usize]));
        self.objects.push(Object { owner, array: None, pages, bytes, fill: Vec::new() });
        (self.objects.len() - 1) as ObjectId
    }

    /// Makes a variable of another one that is no more.
    pub(super) fn again(&mut self, object: ObjectId, size: u64) {
        if let Some(object) = self.objects.get_mut(object as usize)
            && let Some(bytes) = &mut object.bytes
        {
            self.used = self.used.saturating_add(size).saturating_sub(bytes.len() as u64);
            bytes.clear();
            bytes.resize(size as usize, Byte::Unknown);
        }
    }

    pub(super) fn object(&self, address: Address) -> Option<&Object> {
        self.objects.get(address.object as usize)
    }

    /// The bytes at an address.
    pub(super) fn read(&self, at: Address, size: u64) -> Result<Vec<Byte>, Outside> {
        let object = self.object(at).ok_or(Outside)?;
        if let Some(bytes) = &object.bytes {
            let first = usize::try_from(at.offset).map_err(|_| Outside)?;
            let end = first.checked_add(size as usize).ok_or(Outside)?;
            return Ok(bytes.get(first..end).ok_or(Outside)?.to_vec());
        }
        let places = (0..size as i64).map(|i| at.offset.saturating_add(i));
        Ok(places.map(|place| object.byte(place)).collect())
    }

    /// Stores bytes at an address.
    pub(super) fn write(&mut self, at: Address, new: &[Byte]) -> Result<(), Outside> {
        let object = self.objects.get_mut(at.object as usize).ok_or(Outside)?;
        if let Some(bytes) = &mut object.bytes {
            let first = usize::try_from(at.offset).map_err(|_| Outside)?;
            let end = first.checked_add(new.len()).ok_or(Outside)?;
            bytes.get_mut(first..end).ok_or(Outside)?.copy_from_slice(new);
            return Ok(());
        }
        for (place, byte) in (at.offset..).zip(new) {
            let number = place.div_euclid(PAGE as i64);
            let fill = &object.fill;
            let page = object.pages.entry(number).or_insert_with(|| {
                self.used += PAGE as u64;
                let first = number * PAGE as i64;
                Box::new(std::array::from_fn(|i| filled(fill, first + i as i64)))
            });
            page[place.rem_euclid(PAGE as i64) as usize] = *byte;
        }
        Ok(())
    }
}

impl Object {
    fn byte(&self, place: i64) -> Byte {
        match self.pages.get(&place.div_euclid(PAGE as i64)) {
            Some(page) => page[place.rem_euclid(PAGE as i64) as usize],
            None => filled(&self.fill, place),
        }
    }

    /// The bytes that were stored, by their places, as far as they are not what was there at first.
    pub(super) fn stored(&self) -> impl Iterator<Item = (i64, Byte)> + '_ {
        let mut pages: Vec<_> = self.pages.iter().collect();
        pages.sort_unstable_by_key(|(number, _)| **number);
        pages.into_iter().flat_map(|(number, page)| {
            let first = *number * PAGE as i64;
            (first..).zip(page.iter().copied())
        })
    }
}

/// What a byte holds at first.
fn filled(fill: &[Byte], place: i64) -> Byte {
    let place = place.rem_euclid(fill.len().max(1) as i64) as usize;
    fill.get(place).copied().unwrap_or(Byte::Unknown)
}
