package tilewright.device;

import java.util.List;

/**
 * What this machine has for running and assembling kernels.
 *
 * @param assemblers preferred first
 */
public record MachineReport(GpuProbe gpu, List<AssemblerFacts> assemblers) {
  public MachineReport {
    assemblers = List.copyOf(assemblers);
  }

  public static MachineReport inspect() {
    return new MachineReport(Gpu.probe(), Assembler.find().found());
  }
}
