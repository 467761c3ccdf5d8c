//! From places in the preprocessed text back to places in the main file.

use super::token::Spelled;
use std::ops::Range;
use std::rc::Rc;

/// A piece of the preprocessed text and where it comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Segment {
    /// Bytes of the preprocessed text.
    expanded: Range<usize>,
    /// Bytes of the main file; of the macro's use when the piece is its expansion, of the
    /// `#include` when it stands in an included file.
    original: Range<usize>,
    /// Was the piece copied, character for character?
    copied: bool,
    /// The included file and the line there, if it comes from one.
    included: Option<(Rc<str>, u32)>,
    /// Where it stands in the definition of the macro whose expansion it is of.
    spelled: Option<Spelled>,
}

/// Where each piece of the preprocessed text comes from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SourceMap {
    segments: Vec<Segment>,
}

impl SourceMap {
    /// Records that the next piece of the preprocessed text comes from `original`.
    pub(super) fn push(&mut self, expanded: Range<usize>, original: Range<usize>, copied: bool) {
        if expanded.is_empty() {
            return;
        }
        if let Some(last) = self.segments.last_mut()
            && copied
            && last.copied
            && last.original.end == original.start
            && last.expanded.end == expanded.start
        {
            last.original.end = original.end;
            last.expanded.end = expanded.end;
            return;
        }
        let (included, spelled) = (None, None);
        self.segments.push(Segment { expanded, original, copied, included, spelled });
    }

    /// Records that the next piece comes from the given line of a file that is included at
    /// `original`.
    pub(super) fn push_included(
        &mut self,
        expanded: Range<usize>,
        original: Range<usize>,
        file: &Rc<str>,
        line: u32,
    ) {
        if expanded.is_empty() {
            return;
        }
        let included = Some((file.clone(), line));
        match self.segments.last_mut() {
            Some(last) if last.included == included && last.expanded.end == expanded.start => {
                last.expanded.end = expanded.end;
            }
            _ => {
                let (copied, spelled) = (false, None);
                self.segments.push(Segment { expanded, original, copied, included, spelled });
            }
        }
    }

    /// Records where the last piece stands in the definition of a macro.
    pub(super) fn spell(&mut self, spelled: &Spelled) {
        if let Some(last) = self.segments.last_mut().filter(|s| !s.copied && s.included.is_none()) {
            last.spelled = Some(spelled.clone());
        }
    }

    /// Records that a byte was put into the preprocessed text at `at`.
    pub(crate) fn insert(&mut self, at: usize) {
        let index = self.segments.partition_point(|s| s.expanded.end <= at);
        let Some(segment) = self.segments.get_mut(index) else { return };
        let offset = at - segment.expanded.start.min(at);
        let mut new = Segment { expanded: at..at + 1, ..segment.clone() };
        let mut rest = Segment { expanded: at..segment.expanded.end, ..segment.clone() };
        if segment.copied {
            let place = segment.original.start + offset;
            (new.original, new.copied) = (place..place + 1, false);
            rest.original.start = place;
            segment.original.end = place;
        }
        segment.expanded.end = at;
        let whole = segment.expanded.is_empty();
        self.segments.splice(index + usize::from(!whole)..=index, [new, rest]);
        for segment in &mut self.segments[index + 1 + usize::from(!whole)..] {
            segment.expanded.start += 1;
            segment.expanded.end += 1;
        }
    }

    /// The bytes of the main file that a range of the preprocessed text comes from.
    pub(crate) fn original(&self, expanded: &Range<usize>) -> Range<usize> {
        let start = self.at(expanded.start).map_or(0, |s| {
            if s.copied {
                s.original.start + (expanded.start - s.expanded.start)
            } else {
                s.original.start
            }
        });
        let last = expanded.end.max(expanded.start + 1) - 1;
        let end = self.at(last).map_or(start, |s| {
            if s.copied { s.original.start + (last - s.expanded.start) + 1 } else { s.original.end }
        });
        start..end.max(start)
    }

    /// The bytes of the main file where a range of the preprocessed text stands in the definition of a
    /// macro, if it is of one use: of the first definition that has a part in it.
    pub(crate) fn spelled(&self, expanded: &Range<usize>) -> Option<Range<usize>> {
        let first = self.segments.partition_point(|s| s.expanded.end <= expanded.start);
        let within = self.segments[first..].iter().take_while(|s| s.expanded.start < expanded.end);
        let of_one_use = |s: &Segment| !s.copied && s.original == self.segments[first].original;
        if !within.clone().all(of_one_use) {
            return None;
        }
        let mut pieces = within.filter_map(|s| s.spelled.as_ref());
        let Spelled { definition, range } = pieces.next()?.clone();
        let same = pieces.filter(|piece| piece.definition == definition);
        Some(same.fold(range, |all, piece| {
            all.start.min(piece.range.start)..all.end.max(piece.range.end)
        }))
    }

    /// The included file, and the line there, that a byte of the preprocessed text comes from.
    pub(crate) fn included(&self, at: usize) -> Option<(&str, u32)> {
        let (file, line) = self.at(at)?.included.as_ref()?;
        Some((file, *line))
    }

    /// The segment that holds byte `at` of the preprocessed text, or the last one.
    fn at(&self, at: usize) -> Option<&Segment> {
        let index = self.segments.partition_point(|s| s.expanded.end <= at);
        self.segments.get(index).or(self.segments.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_pieces_map_exactly_and_expansions_to_their_use() {
        let mut map = SourceMap::default();
        map.push(0..4, 10..14, true);
        map.push(4..9, 14..15, false);
        map.push(9..12, 15..18, true);
        assert_eq!(map.original(&(1..3)), 11..13);
        assert_eq!(map.original(&(5..6)), 14..15);
        assert_eq!(map.original(&(2..11)), 12..17);
        assert_eq!(map.included(5), None);
    }

    #[test]
    fn what_is_put_in_stands_where_it_is_put() {
        let mut map = SourceMap::default();
        map.push(0..4, 10..14, true);
        map.push(4..9, 14..15, false);
        map.push(9..12, 15..18, true);
        let before = map.clone();
        for at in 0..12 {
            let mut map = before.clone();
            map.insert(at);
            for place in 0..12 {
                let now = if place < at { place } else { place + 1 };
                assert_eq!(map.original(&(now..now + 1)), before.original(&(place..place + 1)));
            }
            assert_eq!(map.original(&(at..at + 1)), before.original(&(at..at + 1)));
        }
    }

    #[test]
    fn included_pieces_map_to_the_include() {
        let mut map = SourceMap::default();
        let file = Rc::from("a.h");
        map.push_included(0..4, 7..20, &file, 1);
        map.push_included(4..6, 7..20, &file, 2);
        assert_eq!(map.original(&(1..5)), 7..20);
        assert_eq!(map.included(5), Some(("a.h", 2)));
    }
}
