//! Fragments of matrices, which the lanes of a warp hold together (`nvcuda::wmma`).
//!
//! What lanes hold is data. A load reads and a store writes a tile of a matrix in memory: each of its elements once
//! at least, by lanes of the warp that CUDA leaves open (CUDA C++ Programming Guide, warp matrix functions). Which
//! ones is the same for all fragments of one type on a device.

use crate::expr::{Expr, ExprKind, Place};
use crate::kernel::At;
use crate::types::Type;
use babycuda_core::Name;

/// The functions of the namespace.
pub const FUNCTIONS: [&str; 4] =
    ["load_matrix_sync", "store_matrix_sync", "fill_fragment", "mma_sync"];

/// How the names of types of fragments begin.
const TYPE: &str = "wmma::fragment<";

/// What the type of a fragment says of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fragment {
    /// `matrix_a`, `matrix_b` or `accumulator`.
    pub role: String,
    /// The number of rows, at least 1.
    pub rows: u32,
    /// The number of columns, at least 1.
    pub columns: u32,
    /// Are the columns of the matrix in memory each in one piece, and not the rows? An accumulator's load and store
    /// say it.
    pub by_columns: Option<bool>,
}

/// A name without the namespaces around it; nothing, where it is an expression.
fn base(name: &str) -> &str {
    let of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | ' ');
    match name.chars().all(of_name) {
        true => name.rsplit("::").next().unwrap_or(name).trim(),
        false => "",
    }
}

impl Fragment {
    /// The member that says how many elements a lane holds: a number that CUDA leaves open.
    pub const ELEMENTS: &'static str = "num_elements";

    /// The type of the fragments with these arguments of the template: what for, three extents, the element and,
    /// but for accumulators, the layout. `None`: there is no such type, or its elements are parts of bytes.
    pub fn ty(role: &str, extents: [u32; 3], element: &str, layout: Option<&str>) -> Option<Type> {
        let element: String = element.split_whitespace().collect();
        let [m, n, k] = extents;
        let layout = layout.map_or(String::new(), |layout| format!(",{}", base(layout)));
        let name = format!("{TYPE}{},{m},{n},{k},{element}{layout}>", base(role));
        let ty = Type::Opaque(name.into());
        let whole = !element.contains("experimental") && !element.contains(',');
        Fragment::of(&ty).filter(|_| whole).map(|_| ty)
    }

    /// What a type made by [`Fragment::ty`] says; `None`: it is another type.
    pub fn of(ty: &Type) -> Option<Fragment> {
        let Type::Opaque(name) = ty else { return None };
        let parts: Vec<&str> = name.strip_prefix(TYPE)?.strip_suffix('>')?.split(',').collect();
        let (&[role, m, n, k, _], layout) = parts.split_first_chunk::<5>()?;
        let extent = |text: &str| text.parse().ok().filter(|extent| (1..=1024).contains(extent));
        let (m, n, k) = (extent(m)?, extent(n)?, extent(k)?);
        let (rows, columns) = match role {
            "matrix_a" => (m, k),
            "matrix_b" => (k, n),
            "accumulator" => (m, n),
            _ => return None,
        };
        let by_columns = match (role, layout) {
            ("accumulator", []) => None,
            ("matrix_a" | "matrix_b", ["row_major"]) => Some(false),
            ("matrix_a" | "matrix_b", ["col_major"]) => Some(true),
            _ => return None,
        };
        Some(Fragment { role: role.to_owned(), rows, columns, by_columns })
    }

    /// The layout that an argument names: are columns in one piece?
    pub fn layout(name: &str) -> Option<bool> {
        match base(name) {
            "mem_row_major" => Some(false),
            "mem_col_major" => Some(true),
            _ => None,
        }
    }
}

/// A call of `load_matrix_sync` or `store_matrix_sync` as an expression: it accesses the tile, and a load gives the
/// fragment another value.
///
/// # Errors
/// What is not supported: a fragment of another type, a layout that is missing or said twice.
pub fn access(
    name: &str,
    fragment: Place,
    [pointer, stride]: [Expr; 2],
    said: Option<bool>,
    at: At,
) -> Result<Expr, &'static str> {
    let Some(known) = Fragment::of(&fragment.ty) else {
        return Err("a fragment of a type that is not known");
    };
    let by_columns = match (known.by_columns, said) {
        (Some(own), None) => own,
        (None, Some(said)) => said,
        _ => return Err("access of a fragment with this layout"),
    };
    if !matches!(pointer.ty, Type::Pointer(_)) {
        return Err("access of a fragment through a value that is no pointer");
    }
    let ty = fragment.ty.clone();
    let held = |parts| Expr { kind: ExprKind::List(parts), ty: ty.clone(), at };
    let layout = Expr::int(Type::Bool, by_columns.into(), at);
    let arguments = vec![pointer, held(Vec::new()), stride, layout];
    let name = Name::new(format!("wmma::{name}"));
    let access = Expr { kind: ExprKind::Device(name.clone(), arguments), ty: Type::Void, at };
    if name.as_str() != "wmma::load_matrix_sync" {
        return Ok(access);
    }
    let loaded = assigned(fragment, held(Vec::new()), at);
    let ty = loaded.ty.clone();
    Ok(Expr { kind: ExprKind::Comma(Box::new([access, loaded])), ty, at }
        .converted(&Type::Void, at))
}

/// A call of `fill_fragment` or `mma_sync`: the fragment gets a value that comes of these.
pub fn computed(fragment: Place, from: Vec<Expr>, at: At) -> Expr {
    let ty = fragment.ty.clone();
    let value = Expr { kind: ExprKind::List(from), ty, at };
    assigned(fragment, value, at).converted(&Type::Void, at)
}

fn assigned(place: Place, value: Expr, at: At) -> Expr {
    let ty = place.ty.clone();
    Expr { kind: ExprKind::Assign(Box::new(place), Box::new(value)), ty, at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_say_what_a_tile_is() {
        let of =
            |role, layout| Fragment::of(&Fragment::ty(role, [16, 8, 32], "signed char", layout)?);
        let a = of("nvcuda::wmma::matrix_a", Some("wmma::col_major")).map(|f| (f.rows, f.columns));
        assert_eq!(a, Some((16, 32)));
        let b = of("matrix_b", Some("row_major")).map(|f| (f.rows, f.columns, f.by_columns));
        assert_eq!(b, Some((32, 8, Some(false))));
        assert_eq!(of("accumulator", None).map(|f| f.by_columns), Some(None));
        assert_eq!(of("matrix_a", None), None);
        assert_eq!(of("accumulator", Some("row_major")), None);
        assert_eq!(of("matrix_a", Some("n ? wmma::col_major : wmma::row_major")), None);
        let bits = "wmma::experimental::precision::u4";
        assert_eq!(Fragment::ty("accumulator", [8, 8, 32], bits, None), None);
        assert_eq!(Fragment::ty("accumulator", [0, 8, 8], "half", None), None);
    }
}
