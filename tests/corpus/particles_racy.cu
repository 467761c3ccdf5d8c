// A particle looks at a component of its neighbour's place, which that one's thread writes.
//
// babycuda: check --block 64 --grid 1 => racy rw all 16 19
// babycuda: check --block 1 --grid 1 => drf

struct particle {
    float3 place;
    float3 speed;
    int kind;
};

__global__ void particles(particle *all, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    particle *own = &all[i];
    float height = all[i + 1].place.z;
    own->place.x += dt * own->speed.x;
    own->place.y += dt * own->speed.y;
    own->place.z += dt * own->speed.z * height;
}
