// No guard: each inclusion says anew whether there are assertions.
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
BC_HD void assert(bool);
#endif
