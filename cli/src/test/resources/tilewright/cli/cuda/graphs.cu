// Graphs of nodes, graphs that streams capture, and their updates: each launch adds to a number.
#include <cstdio>
#include <cstring>
__global__ void add(int* p, int n) { *p = *p * 10 + n; }
static void count(void* data) { ++*(int*) data; }
static int *number, calls;
static cudaGraphNode_t kernelNode(cudaGraph_t g, int n) {
  cudaGraphNode_t node;
  void* arguments[] = {&number, &n};
  cudaKernelNodeParams p = {(void*) add, dim3(1), dim3(1), 0, arguments, nullptr};
  cudaGraphAddKernelNode(&node, g, nullptr, 0, &p);
  return node;
}
static void run(const char* name, cudaGraphExec_t e) {
  int result;
  cudaMemset(number, 0, sizeof(int));
  cudaGraphLaunch(e, 0);
  cudaMemcpy(&result, number, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%s: %d, %s\n", name, result, cudaGetErrorName(cudaGetLastError()));
}
static cudaGraphExec_t nodes() {
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaGraphNode_t host, fill, link[2];
  cudaGraphCreate(&g, 0);
  // The last node is made first.
  cudaGraphNode_t last = kernelNode(g, 3), first = kernelNode(g, 2);
  cudaMemsetParams zero = {number, 0, 0, 4, 1, 1};
  cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &zero);
  cudaHostNodeParams call = {count, &calls};
  cudaGraphAddHostNode(&host, g, &last, 1, &call);
  link[0] = first;
  link[1] = fill;
  cudaGraphNode_t to[] = {last, first};
  cudaGraphAddDependencies(g, link, to, nullptr, 2);
  size_t count;
  cudaGraphGetNodes(g, nullptr, &count);
  printf("%zu nodes\n", count);
  cudaGraphInstantiate(&e, g, 0);
  run("nodes", e);
  int n = 9;
  void* arguments[] = {&number, &n};
  cudaKernelNodeParams p = {(void*) add, dim3(1), dim3(1), 0, arguments, nullptr};
  cudaGraphExecKernelNodeSetParams(e, last, &p);
  run("changed", e);
  cudaGraphNode_t back[] = {last}, front[] = {first};
  cudaGraphAddDependencies(g, back, front, nullptr, 1);
  cudaGraphExec_t none;
  printf("cycle: %s\n", cudaGetErrorName(cudaGraphInstantiate(&none, g, 0)));
  cudaGetLastError();
  cudaGraphDestroy(g);
  return e;
}
static cudaGraph_t captured(int n) {
  cudaStream_t a, b;
  cudaEvent_t fork, join;
  cudaGraph_t g;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  add<<<1, 1, 0, a>>>(number, 1);
  cudaEventRecord(fork, a);
  cudaStreamWaitEvent(b, fork, 0);
  add<<<1, 1, 0, b>>>(number, n);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join, 0);
  cudaLaunchHostFunc(a, count, &calls);
  cudaStreamEndCapture(a, &g);
  return g;
}
// Memory that a captured stream allocates: it outlives one launch, and not two.
static void memory() {
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t e, freeing;
  int *p, *q, result;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&p, sizeof(int), s);
  cudaMallocAsync(&q, 4096, s);
  cudaMemsetAsync(p, 0, sizeof(int), s);
  add<<<1, 1, 0, s>>>(p, 7);
  cudaFreeAsync(q, s);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&e, g, 0);
  cudaGraphInstantiate(&freeing, g, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  printf("before: %s\n", cudaGetErrorName(cudaFree(p)));
  cudaGraphLaunch(e, s);
  cudaMemcpy(&result, p, sizeof(int), cudaMemcpyDeviceToHost);
  cudaGetLastError();
  printf("memory: %d, not freed: %s\n", result, cudaGetErrorName(cudaGraphLaunch(e, s)));
  printf("freed by itself: %s\n", cudaGetErrorName(cudaGraphLaunch(freeing, s)));
  size_t used[3];
  cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used[0]);
  cudaDeviceGraphMemTrim(0);
  cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used[1]);
  cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used[2]);
  printf("%zu bytes, trimmed %zu, at most %zu, ", used[0], used[1], used[2]);
  printf("free: %s\n", cudaGetErrorName(cudaFree(p)));
  cudaGetLastError();
}
// A loop around a graph that is captured into: 1, then 11, and so on while a kernel says so.
__global__ void addUpTo(int* p, int limit, cudaGraphConditionalHandle more) {
  *p = *p * 10 + 1;
  cudaGraphSetConditional(more, *p < limit);
}
static void loop() {
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaGraphNode_t node;
  cudaGraphConditionalHandle more;
  cudaStreamCreate(&s);
  cudaGraphCreate(&g, 0);
  cudaGraphConditionalHandleCreate(&more, g, 1, cudaGraphCondAssignDefault);
  cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
  p.conditional.handle = more;
  p.conditional.type = cudaGraphCondTypeWhile;
  p.conditional.size = 1;
  cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p);
  cudaStreamBeginCaptureToGraph(s, p.conditional.phGraph_out[0], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
  addUpTo<<<1, 1, 0, s>>>(number, 1000, more);
  cudaStreamEndCapture(s, nullptr);
  cudaGraphInstantiate(&e, g, 0);
  run("loop", e);
  run("again", e);
}
int main() {
  cudaMalloc(&number, sizeof(int));
  cudaGraphExec_t made = nodes(), e;
  cudaGraph_t g = captured(4), other = captured(5), copy;
  cudaGraphInstantiate(&e, g, 0);
  cudaGraphClone(&copy, g);
  cudaGraphDestroy(g);
  run("captured", e);
  cudaGraphExecUpdateResultInfo info;
  cudaError_t updated = cudaGraphExecUpdate(e, other, &info);
  printf("update: %s\n", cudaGetErrorName(updated));
  run("updated", e);
  updated = cudaGraphExecUpdate(made, other, &info);
  printf("another form: %s, %d\n", cudaGetErrorName(updated), info.result);
  cudaGetLastError();
  cudaGraphInstantiate(&e, copy, 0);
  run("cloned", e);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  printf("wait: %s\n", cudaGetErrorName(cudaStreamSynchronize(s)));
  printf("end: %s\n", cudaGetErrorName(cudaStreamEndCapture(s, &g)));
  printf("%d calls\n", calls);
  memory();
  loop();
}
