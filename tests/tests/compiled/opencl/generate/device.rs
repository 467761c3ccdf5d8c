//! Functions of the device: atomic ones, halves, images, copies of work-groups.

use super::Generator;
use super::types::Ty;

impl Generator<'_> {
    /// An atomic function, of the old or the new generation.
    pub(super) fn atomic(&mut self) -> Vec<String> {
        self.label("atomic");
        let old = matches!(self.counter, "int" | "uint");
        let local = self.counters && self.choices.chance(1, 2);
        let array = if local { "counters" } else { "acc" };
        if local {
            self.label("atomic of local memory");
        }
        let object = format!("&{array}[{}]", self.index());
        let small = self.choices.below(9);
        let call = if old {
            self.label("atomic function of OpenCL 1");
            let atom = if self.choices.chance(1, 5) { "atom" } else { "atomic" };
            match self.choices.below(4) {
                0 => format!("atomic_inc({object})"),
                1 => format!("atomic_cmpxchg({object}, {small}, {})", self.leaf()),
                2 => format!("atomic_dec({object})"),
                _ => {
                    let name = *self
                        .choices
                        .pick(&["add", "sub", "xchg", "min", "max", "and", "or", "xor"]);
                    format!("{atom}_{name}({object}, {})", self.leaf())
                }
            }
        } else {
            self.label("atomic function of OpenCL 2");
            let explicit = self.choices.chance(2, 3);
            let how = match self.choices.below(3) {
                _ if !explicit => String::new(),
                0 => ", memory_order_relaxed".to_owned(),
                1 => ", memory_order_relaxed, memory_scope_device".to_owned(),
                _ => {
                    self.label("atomic of a work-group");
                    ", memory_order_acq_rel, memory_scope_work_group".to_owned()
                }
            };
            let suffix = if explicit { "_explicit" } else { "" };
            if self.choices.chance(1, 8) {
                self.label("compare-exchange");
                let seen = self.fresh("seen");
                let ty = self.counter.trim_start_matches("atomic_");
                let how = how.replacen(
                    ", memory_order_acq_rel",
                    ", memory_order_acq_rel, memory_order_acquire",
                    1,
                );
                let how = how.replacen(
                    ", memory_order_relaxed",
                    ", memory_order_relaxed, memory_order_relaxed",
                    1,
                );
                return vec![format!(
                    "{ty} {seen} = {small}; atomic_compare_exchange_strong{suffix}({object}, &{seen}, {}{how});",
                    self.leaf()
                )];
            }
            match self.choices.below(4) {
                // Of global memory, there is no load in the scope of a work-group yet.
                0 if !how.contains("group") || small == 0 => {
                    format!("atomic_load{suffix}({object}{})", how.replace("acq_rel", "acquire"))
                }
                1 => {
                    let how = how.replace("acq_rel", "release");
                    return vec![format!("atomic_store{suffix}({object}, {}{how});", self.leaf())];
                }
                _ => {
                    let name = *self.choices.pick(&["add", "sub", "min", "max", "or"]);
                    let name =
                        if small == 0 { "exchange".to_owned() } else { format!("fetch_{name}") };
                    format!("atomic_{name}{suffix}({object}, {}{how})", self.leaf())
                }
            }
        };
        match self.choices.below(3) {
            0 => vec![format!("{} = {call};", self.scalar_place(true).text)],
            1 if old => vec![format!("{call}; {array}[{}] = {};", self.index(), self.value())],
            _ => vec![format!("{call};")],
        }
    }

    /// Halves, which are converted where they are accessed.
    pub(super) fn halves(&mut self) -> Vec<String> {
        self.label("halves");
        let array = |s: &mut Self, written: bool| {
            let (pointer, space) = s.pointer(&Ty::Scalar("short"), written);
            format!("(({space} half *){pointer})")
        };
        let count = *self.choices.pick(&[1, 2, 3, 4, 8]);
        let (index, aligned) = (self.index(), self.choices.chance(1, 3) && count > 1);
        let a = if aligned { "a" } else { "" };
        let name = if count == 1 { String::new() } else { count.to_string() };
        match self.choices.below(2) {
            0 => {
                let value = match count {
                    1 => format!("(float)({})", self.value()),
                    _ => self.vector_value("float", count),
                };
                let rounded = if count == 1 && self.choices.chance(1, 3) { "_rte" } else { "" };
                let target = array(self, true);
                vec![format!("vstore{a}_half{name}{rounded}({value}, {index}, {target});")]
            }
            _ => {
                let source = array(self, false);
                let load = format!("vload{a}_half{name}({index}, {source})");
                match count {
                    1 => vec![format!("{} = {load};", self.scalar_place(true).text)],
                    _ => {
                        let ty = Ty::Vector("float", count);
                        vec![format!("{} = {load};", self.element(&ty, true).text)]
                    }
                }
            }
        }
    }

    /// An access of an image. Coordinates are never negative.
    pub(super) fn pixel(&mut self) -> Vec<String> {
        if !self.images {
            return self.access();
        }
        let (x, y) = (format!("({}) & 15", self.index()), format!("{} & 7", self.leaf()));
        let place = format!("BC_VEC(int2, {x}, {y})");
        self.label("pixel");
        match self.choices.below(5) {
            0 => {
                self.label("image read and written");
                let to = self.element(&Ty::Vector("float", 4), true).text;
                vec![format!("{to} = read_imagef(picture, {place});")]
            }
            1 => {
                let to = self.element(&Ty::Vector("float", 4), true).text;
                vec![format!("{to} = read_imagef(texture, sampler, {place});")]
            }
            2 => {
                let color = self.vector_value("int", 4);
                vec![format!("write_imagei(line, {x}, {color});")]
            }
            3 => {
                let color = self.vector_value("uint", 4);
                vec![format!("write_imageui(picture, {place}, {color});")]
            }
            _ => {
                let color = self.vector_value("float", 4);
                vec![format!("write_imagef(picture, {place}, {color});")]
            }
        }
    }

    /// Copies that a work-group makes together, between barriers, and the wait for them.
    pub(super) fn group_copies(&mut self) -> Vec<String> {
        let of_local: Vec<usize> =
            (0..self.arrays.len()).filter(|n| self.arrays[*n].space == "local").collect();
        if !self.uniform || of_local.is_empty() {
            return self.access();
        }
        self.label("copy of a group");
        let event = self.fresh("event");
        let mut out = Vec::new();
        let both = if self.images { " | CLK_IMAGE_MEM_FENCE" } else { "" };
        let barrier = format!("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE{both});");
        if self.choices.chance(4, 5) {
            out.push(barrier.clone());
        }
        let copies = 1 + self.choices.below(2);
        let list = copies > 1 && self.choices.chance(1, 2);
        if list {
            self.label("list of events");
            out.push(format!("event_t {event}[2];"));
        }
        for number in 0..copies {
            let local = of_local[self.choices.below(of_local.len())];
            let outer: Vec<usize> =
                (0..self.arrays.len()).filter(|n| self.arrays[*n].space == "global").collect();
            let global = outer[self.choices.below(outer.len())];
            let ty = match self.choices.below(3) {
                0 => self.vector(),
                _ => self.scalar(),
            };
            let ty = match ty {
                // There is no copy of three components.
                Ty::Vector(_, 3) => Ty::Scalar("float"),
                other => other,
            };
            let name = self.name(&ty);
            // The same for all work-items.
            let [n, m] = [self.choices.below(4), self.choices.below(4)];
            let own = self.plain_uniform(local);
            let (near, far) = (
                format!("(local {name} *){own} + {n} * m"),
                format!("(global {name} *){} + {m}", self.arrays[global].name.clone()),
            );
            let count = ["n", "get_local_size(0)", "3", "m + 2"][self.choices.below(4)];
            let to_local = self.choices.chance(1, 2);
            let before = if number == 0 || list { "0".to_owned() } else { event.clone() };
            let (to, from) = if to_local { (near, far) } else { (far, near) };
            let call = if self.choices.chance(1, 3) {
                self.label("strided copy of a group");
                let call = if to_local { "BC_GATHER" } else { "BC_SCATTER" };
                format!("{call}({to}, {from}, {count}, {}, {before})", 1 + self.choices.below(3))
            } else {
                format!("async_work_group_copy({to}, {from}, {count}, {before})")
            };
            out.push(match number {
                _ if list => format!("{event}[{number}] = {call};"),
                0 => format!("event_t {event} = {call};"),
                _ => format!("{event} = {call};"),
            });
            if self.choices.chance(1, 3) {
                self.copying = true;
                out.extend(self.access());
                self.copying = false;
            }
        }
        out.push(match list {
            true => format!("wait_group_events(2, {event});"),
            false => format!("wait_group_events(1, &{event});"),
        });
        if self.choices.chance(4, 5) {
            out.push(barrier);
        }
        out
    }

    /// An array of elements of its own type, the same for all work-items.
    fn plain_uniform(&mut self, at: usize) -> String {
        let array = &self.arrays[at];
        if array.rows { format!("{}[m & 7]", array.name) } else { array.name.clone() }
    }

    /// What the work-items of a sub-group, or of a group, tell each other.
    pub(super) fn exchanged(&mut self) -> Vec<String> {
        if !self.uniform {
            return self.access();
        }
        self.label("exchange");
        let (x, value, to) = (self.fresh("x"), self.value(), self.scalar_place(true).text);
        match self.choices.below(4) {
            0 => vec![format!("float {x} = sub_group_reduce_add((float)({value})); {to} = {x};")],
            1 => vec![format!("int {x} = sub_group_broadcast((int)({value}), 1u); {to} = {x};")],
            2 if !self.copying => {
                // Whether it orders memory is not said: it stands between barriers, which do.
                self.label("exchange of a group");
                let image = if self.images { " | CLK_IMAGE_MEM_FENCE" } else { "" };
                let barrier =
                    format!("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE{image});");
                vec![barrier.clone(), format!("int {x} = work_group_any(({value}) > 1);"), barrier]
            }
            _ => vec![format!("int {x} = sub_group_any(({value}) > 1); {to} = {x};")],
        }
    }

    /// What accesses nothing, but for its arguments.
    pub(super) fn hint(&mut self) -> Vec<String> {
        self.label("prefetch");
        let ty = self.scalar();
        let name = self.name(&ty);
        let globals: Vec<usize> =
            (0..self.arrays.len()).filter(|n| self.arrays[*n].space == "global").collect();
        let at = globals[self.choices.below(globals.len())];
        let array = self.plain(at);
        vec![format!("prefetch((global {name} *){array} + {}, 4);", self.index())]
    }
}
