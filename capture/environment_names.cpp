#include "capture/environment_names.h"

namespace samestep {
namespace {

constexpr EnvironmentName kNames[] = {
    {"ATEN_CPU_CAPABILITY", "caps the instruction set of torch's own kernels"},
    {"ATEN_THREADING", "the thread pool that splits reductions"},
    {"CUBLASLT_*", "choice of matrix kernels"},
    {"CUBLAS_WORKSPACE_CONFIG", "decides whether cuBLAS is deterministic"},
    {"CUDA_DEVICE_MAX_CONNECTIONS", "order of kernels on a device"},
    {"CUDA_LAUNCH_BLOCKING", "order of kernels and copies"},
    {"CUDA_VISIBLE_DEVICES", "which devices a rank uses"},
    {"CUDNN_*", "choice of convolution kernels"},
    {"GLOO_*", "order of sums over ranks"},
    {"GOMP_*", "how many threads split a sum"},
    {"KMP_*", "how many threads split a sum"},
    {"LOCAL_WORLD_SIZE", "layout of ranks"},
    {"MKL_*", "kernels and threads of MKL"},
    {"NCCL_*", "order of sums over ranks"},
    {"NUMEXPR_*", "threads of NumExpr"},
    {"NVIDIA_TF32_OVERRIDE", "switches TF32 off or on for all libraries"},
    {"NVTE_*", "kernels of Transformer Engine"},
    {"OMP_*", "how many threads split a sum"},
    {"ONEDNN_*", "kernels of oneDNN"},
    {"OPENBLAS_*", "kernels and threads of OpenBLAS"},
    {"PYTHONHASHSEED", "order of sets of strings"},
    {"PYTORCH_CUDA_ALLOC_CONF", "placement of blocks, which can choose kernels"},
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", "placement of blocks"},
    {"TORCHINDUCTOR_*", "what the compiler generates"},
    {"TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "switches TF32 on"},
    {"TORCH_COMPILE_*", "what is compiled"},
    {"TORCH_CUDNN_*", "choice of convolution kernels"},
    {"TORCH_NCCL_*", "order of sums over ranks"},
    {"TRITON_*", "what the compiler generates"},
    {"VECLIB_*", "threads of Accelerate"},
    {"WORLD_SIZE", "layout of ranks"},
};

}  // namespace

std::span<const EnvironmentName> environment_names() noexcept { return kNames; }

}  // namespace samestep
