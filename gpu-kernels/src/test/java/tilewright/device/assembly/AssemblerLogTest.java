package tilewright.device.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.device.assembly.Assembly.Resources;

class AssemblerLogTest {
  private static final String LOG = """
      ptxas info    : 24 bytes gmem
      ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized in 'gemm'
      ptxas info    : Compiling entry function 'gemm' for 'sm_90a'
      ptxas info    : Function properties for helper
          96 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
      ptxas info    : Function properties for gemm
          16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
      ptxas info    : Used 168 registers, used 9 barriers, 1024 bytes smem, 640 bytes cmem[0]
      ptxas info    : Compiling entry function 'add' for 'sm_90a'
      ptxas info    : Function properties for add
          0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
      ptxas info    : Used 10 registers, 380 bytes cmem[0]
      ptxas kernel.ptx, line 7; warning : something is deprecated
      """;

  @Test
  void readsEachKernelsResourcesAndNotThoseOfFunctionsItCalls() {
    assertEquals(List.of(new Resources("gemm", 168, 12, 20, 16, 1024), new Resources("add", 10, 0, 0, 0, 0)),
        AssemblerLog.resources(LOG));
  }

  @Test
  void countsSerialisedWgmmaAmongTheWarnings() {
    assertEquals(List.of(
        "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized in 'gemm'",
        "ptxas kernel.ptx, line 7; warning : something is deprecated"), AssemblerLog.warnings(LOG));
  }
}
