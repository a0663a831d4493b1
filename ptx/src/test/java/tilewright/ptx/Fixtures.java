package tilewright.ptx;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** PTX text of other compilers and hands: nvcc 13.0 on the .cu files beside, and kernels that ptxas accepts. */
final class Fixtures {
  static final List<String> NAMES = List.of("templates.ptx", "templates_sm100.ptx", "printf.ptx", "dynamic_shared.ptx",
      "branches.ptx", "debug.ptx", "lineinfo.ptx", "accepted_sm_80.ptx", "k_sm80_mma_step.ptx", "k_sm90a_wgmma_ws.ptx",
      "k_sm100a_blockscaled.ptx", "k_sm100a_tcgen05_2cta_clc.ptx");

  private Fixtures() {}

  static String text(String name) {
    try (var in = Fixtures.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(name, e);
    }
  }
}
