// Particles as structures: each thread moves its own, and reads what stays of its neighbour.
//
// babycuda: check --block 64 --grid 1 => drf
// babycuda: check --block 128 --grid 4 => drf

struct particle {
    float3 place;
    float3 speed;
    int kind;
};

__global__ void particles(particle *all, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    particle *own = &all[i];
    if (all[i + 1].kind == 0)
        return;
    own->place.x += dt * own->speed.x;
    own->place.y += dt * own->speed.y;
    own->place.z += dt * own->speed.z;
}
