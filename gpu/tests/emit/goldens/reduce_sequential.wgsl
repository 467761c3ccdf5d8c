// Kernel `reduce_sequential`, printed by babycuda in WGSL.
// Launch: blocks of any x 1 x 1 threads.
// Naturals are 64 bits wide here and wrap around; what is stored is reduced to
// the range of the array's elements.
// Integers narrower than 32 bits are kept in 32.

override block_x: u32 = 64u;
const block_y: u32 = 1u;
const block_z: u32 = 1u;

@group(0) @binding(0) var<storage, read> in: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
var<workgroup> s: array<i32, 256>;

fn shr_u32(a: u32, b: u32) -> u32 {
    if b >= 32u {
        return 0u;
    }
    return a >> u32(b);
}

@compute @workgroup_size(block_x, block_y, block_z)
fn reduce_sequential(
    @builtin(local_invocation_id) local_id: vec3<u32>,
    @builtin(local_invocation_index) local_index: u32,
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var block_dim = vec3<u32>(block_x, block_y, block_z);
    let in_: i32 = in[group_id.x * block_dim.x + local_id.x];  // line 13
    s[local_id.x] = in_;  // line 13
    workgroupBarrier(); storageBarrier();  // line 14
    let half_k_end: u64 = select(0lu, 1lu, block_dim.x / 2u > 0u) + select(0lu, 1lu, ((block_dim.x / 2u) >> 1u) > 0u) + select(0lu, 1lu, ((block_dim.x / 2u) >> 2u) > 0u) + select(0lu, 1lu, ((block_dim.x / 2u) >> 3u) > 0u) + select(0lu, 1lu, ((block_dim.x / 2u) >> 4u) > 0u) + select(0lu, 1lu, ((block_dim.x / 2u) >> 5u) > 0u) + select(0lu, 1lu, ((block_dim.x / 2u) >> 6u) > 0u) + select(0lu, 1lu, ((block_dim.x / 2u) >> 7u) > 0u) + select(0lu, 1lu, ((block_dim.x / 2u) >> 8u) > 0u) + select(0lu, 1lu, ((block_dim.x / 2u) >> 9u) > 0u);
    for (var half_k: u64 = 0lu; half_k < half_k_end; half_k = half_k + 1lu) {
        if local_id.x < shr_u32(block_dim.x / 2u, u32(half_k)) {
            let s_: i32 = s[local_id.x + shr_u32(block_dim.x / 2u, u32(half_k))];  // line 18
            let s_1: i32 = s[local_id.x];  // line 18
            s[local_id.x] = s_1 + s_;  // line 18
        }
        workgroupBarrier(); storageBarrier();  // line 19
    }
    if local_id.x == 0u {
        let s_2: i32 = s[0u];  // line 23
        out[group_id.x] = s_2;  // line 23
    }
}
