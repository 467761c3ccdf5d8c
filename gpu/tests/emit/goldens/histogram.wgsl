// Kernel `histogram`, printed by babycuda in WGSL.
// Launch: blocks of any x 1 x 1 threads.
// Naturals are 64 bits wide here and wrap around; what is stored is reduced to
// the range of the array's elements.
// Integers narrower than 32 bits are kept in 32.
// Assumed: le.i32(n, 1073741824)
// Assumed: le.u32(gridDim.x, 65535)

override block_x: u32 = 64u;
const block_y: u32 = 1u;
const block_z: u32 = 1u;

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> hist: array<atomic<u32>>;

struct Parameters {
    n: i32,
}

@group(0) @binding(2) var<storage, read> parameters: Parameters;
var<workgroup> bins: array<atomic<u32>, 256>;

fn div_u32(a: u32, b: u32) -> u32 {
    if b == 0u {
        return 0u;
    }
    return a / b;
}

@compute @workgroup_size(block_x, block_y, block_z)
fn histogram(
    @builtin(local_invocation_id) local_id: vec3<u32>,
    @builtin(local_invocation_index) local_index: u32,
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var block_dim = vec3<u32>(block_x, block_y, block_z);
    let b_k_end: u64 = select(0lu, u64(div_u32(256u - local_id.x - 1u, block_dim.x)) + 1lu, i32(local_id.x) < 256i);
    for (var b_k: u64 = 0lu; b_k < b_k_end; b_k = b_k + 1lu) {
        atomicStore(&bins[u32(i32(local_id.x) + i32(block_dim.x) * i32(u32(b_k)))], 0u);  // line 16
    }
    workgroupBarrier(); storageBarrier();  // line 17
    let i_k_end: u64 = select(0lu, u64(div_u32(u32(parameters.n) - (group_id.x * block_dim.x + local_id.x) - 1u, block_dim.x * groups.x)) + 1lu, i32(group_id.x * block_dim.x + local_id.x) < parameters.n);
    for (var i_k: u64 = 0lu; i_k < i_k_end; i_k = i_k + 1lu) {
        let data_: u32 = data[u32(i32(group_id.x * block_dim.x + local_id.x) + i32(block_dim.x * groups.x) * i32(u32(i_k)))];  // line 20
        let old: u32 = atomicAdd(&bins[data_], 1u);  // line 20
    }
    workgroupBarrier(); storageBarrier();  // line 21
    let b_k_1_end: u64 = select(0lu, u64(div_u32(256u - local_id.x - 1u, block_dim.x)) + 1lu, i32(local_id.x) < 256i);
    for (var b_k_1: u64 = 0lu; b_k_1 < b_k_1_end; b_k_1 = b_k_1 + 1lu) {
        let bins_: u32 = atomicLoad(&bins[u32(i32(local_id.x) + i32(block_dim.x) * i32(u32(b_k_1)))]);  // line 24
        let old_1: u32 = atomicAdd(&hist[u32(i32(local_id.x) + i32(block_dim.x) * i32(u32(b_k_1)))], bins_);  // line 24
    }
}
