//! Images of OpenCL C. One that is only read is a texture; the pixels of others are cells of an array.

use super::{Lowered, Translator};
use crate::document::Node;
use babycuda_core::{IntType, Name};
use babycuda_kernel::surface::pixel;
use babycuda_kernel::{Expr, ExprKind, Place, Type};

/// What one asks of an image; it is no place of the kernel's.
const OF_IMAGES: &str = "\
    get_image_width get_image_height get_image_depth get_image_channel_data_type get_image_channel_order \
    get_image_dim get_image_array_size";

impl<'a> Translator<'a> {
    /// A function of images; `None`: it is another one.
    pub(super) fn opencl_image(
        &mut self,
        name: &str,
        arguments: &[&'a Node],
        node: &'a Node,
    ) -> Lowered<Option<Expr>> {
        if OF_IMAGES.split_whitespace().any(|word| word == name) {
            return self.opencl_opaque(name, Vec::new(), node).map(Some);
        }
        let (reads, writes) = (name.starts_with("read_image"), name.starts_with("write_image"));
        let unknown = |s: &mut Self| s.refuse(node, format!("call of `{name}`"));
        let (image, rest) = match arguments {
            [image, rest @ ..] if (reads || writes) && !rest.is_empty() => (image, rest),
            _ if reads || writes => return unknown(self),
            _ => return Ok(None),
        };
        let of = self.ty(&image.ty, image)?;
        match (rest, matches!(of, Type::Pointer(_))) {
            ([.., place], false) if reads => {
                let place = self.value_of(place)?;
                let (kind, ty) = (ExprKind::Device(Name::new("tex2D"), vec![place]), &node.ty);
                let ty = self.ty(ty, node)?;
                Ok(Some(self.expression(node, kind, ty)))
            }
            ([place], true) if reads => {
                let held = self.pixel(image, place, node)?.value();
                self.opencl_opaque("texel", vec![held], node).map(Some)
            }
            ([place, color], true) if writes => {
                let color = self.value_of(color)?;
                let place = Box::new(self.pixel(image, place, node)?);
                let (ty, at) = (Type::Int(IntType::U8), self.at(node));
                let stored = self.opencl_device("opencl::pixel", vec![color], ty.clone(), node);
                let stored = ExprKind::Assign(place, Box::new(stored));
                Ok(Some(self.expression(node, stored, ty).converted(&Type::Void, at)))
            }
            _ => unknown(self),
        }
    }

    fn pixel(&mut self, image: &'a Node, place: &'a Node, node: &'a Node) -> Lowered<Place> {
        let text = image.ty.text();
        let Some(wanted) = coordinates(text) else {
            return self.refuse(node, format!("access of an image of type `{text}`"));
        };
        let (image, place) = (self.expr(image)?, self.value_of(place)?);
        let mut parts = match place.ty {
            Type::Vector(..) => self.parts_of(place, node)?,
            _ => vec![place],
        };
        parts.truncate(wanted);
        if parts.len() < wanted {
            return self.refuse(node, "access of an image with too few coordinates");
        }
        let at = self.at(node);
        pixel(image, parts, at).or_else(|construct| self.refuse(node, construct))
    }
}

/// How many coordinates a pixel has of an image of this type.
fn coordinates(text: &str) -> Option<usize> {
    match text.split_whitespace().find(|word| word.starts_with("image"))? {
        "image1d_t" | "image1d_buffer_t" => Some(1),
        "image2d_t" | "image1d_array_t" | "image2d_depth_t" => Some(2),
        "image3d_t" | "image2d_array_t" | "image2d_array_depth_t" => Some(3),
        _ => None,
    }
}

/// The type that a text names, of images, samplers or events. An image that is only read is a value of which nothing is
/// known, as a sampler is; another one a pointer to pixels; an event a number.
pub(super) fn image(text: &str) -> Option<Type> {
    let words: Vec<&str> = text
        .split_whitespace()
        .filter(|word| !matches!(*word, "__private" | "private" | "const" | "__constant"))
        .collect();
    let is_image = |name: &str| name.starts_with("image") && name.ends_with("_t");
    match words[..] {
        ["event_t"] => Some(Type::Int(IntType::U64)),
        [name @ "sampler_t"] => Some(Type::Opaque(name.into())),
        ["__read_only" | "read_only", name] if is_image(name) => Some(Type::Opaque(name.into())),
        ["__write_only" | "write_only" | "__read_write" | "read_write", name] if is_image(name) => {
            Some(Type::Int(IntType::U8).pointer())
        }
        _ => None,
    }
}
