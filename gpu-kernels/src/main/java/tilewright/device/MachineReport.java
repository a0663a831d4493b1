package tilewright.device;

import java.util.List;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.AssemblerFacts;
import tilewright.device.driver.GpuProbe;

/**
 * The GPU and the assemblers of this machine.
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
