// What hosts of CUDA's samples call: declared, so that clang makes the instances of their kernels. Nothing of it is run.
#pragma once
#define checkCudaErrors(call) ((void)(call))
#define getLastCudaError(message) ((void)0)
#define printLastCudaError(message) ((void)0)
template <class... A> int findCudaDevice(A...);
template <class... A> int gpuGetMaxGflopsDeviceId(A...);
template <class... A> bool checkCudaCapabilities(A...);
template <class... A> bool checkCmdLineFlag(A...);
template <class... A> int getCmdLineArgumentInt(A...);
template <class... A> float getCmdLineArgumentFloat(A...);
template <class... A> bool getCmdLineArgumentString(A...);
template <class... A> char *sdkFindFilePath(A...);
struct StopWatchInterface { void start(); void stop(); void reset(); float getTime(); float getAverageTime(); };
template <class... A> bool sdkCreateTimer(A...);
template <class... A> bool sdkDeleteTimer(A...);
template <class... A> bool sdkStartTimer(A...);
template <class... A> bool sdkStopTimer(A...);
template <class... A> bool sdkResetTimer(A...);
template <class... A> float sdkGetTimerValue(A...);
template <class... A> float sdkGetAverageTimerValue(A...);
template <class... A> bool compareData(A...);
template <class... A> bool sdkWriteFile(A...);
template <class... A> bool sdkReadFile(A...);
template <class... A> bool sdkCompareL2fe(A...);
