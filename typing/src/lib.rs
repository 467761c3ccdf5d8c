//! babycuda: typing.
