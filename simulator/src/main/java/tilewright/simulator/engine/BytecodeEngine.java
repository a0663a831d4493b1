package tilewright.simulator.engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchGroup;
import tilewright.ptx.PtxModule;
import tilewright.simulator.DeviceMemory;
import tilewright.simulator.Engine;
import tilewright.simulator.Exploration;
import tilewright.simulator.ExplorationLimits;
import tilewright.simulator.GlobalVariable;
import tilewright.simulator.GroupResult;
import tilewright.simulator.KernelResources;
import tilewright.simulator.Schedule;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.UnsupportedPtxException;
import tilewright.simulator.compiler.KernelCompiler;
import tilewright.simulator.compiler.module.ModuleData;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.machine.GroupMachine;
import tilewright.simulator.machine.Machine;
import tilewright.simulator.machine.ScheduleExplorer;

/** Compiles kernels to bytecode and runs them on the {@link Machine}. */
public final class BytecodeEngine implements Engine {
  @Override
  public Map<String, Executable> compile(PtxModule module, int firstWindow, Optional<String> only, Code code,
      List<UnsupportedPtxException.Problem> problems, Runnable check) {
    var executables = new HashMap<String, Executable>();
    KernelCompiler.compile(module, firstWindow, only, code, problems, check)
        .forEach((name, kernel) -> executables.put(name, new CompiledKernel(kernel)));
    return executables;
  }

  @Override
  public List<GlobalVariable> variables(PtxModule module, int firstWindow) {
    return new ModuleData(module, firstWindow).variables().stream()
        .map(v -> new GlobalVariable(v.name(), v.constant(), v.bytes(), v.initial())).toList();
  }

  @Override
  public GroupResult run(List<Executable> kernels, LaunchGroup group, SimulatorOptions options, long start) {
    return GroupMachine.run(kernels.stream().map(k -> ((CompiledKernel) k).kernel).toList(), group, options, start);
  }

  private record CompiledKernel(Kernel kernel) implements Executable {
    @Override
    public SimulationResult run(Launch launch, SimulatorOptions options, Optional<DeviceMemory> memory, long start) {
      return Machine.run(kernel, launch, options, memory, start);
    }

    @Override
    public Exploration explore(Launch launch, SimulatorOptions options, ExplorationLimits limits) {
      return ScheduleExplorer.explore(kernel, launch, options, limits);
    }

    @Override
    public SimulationResult replay(Launch launch, SimulatorOptions options, Schedule schedule) {
      return ScheduleExplorer.replay(kernel, launch, options, schedule);
    }

    @Override
    public KernelResources resources() {
      var memory = kernel.memory();
      return new KernelResources(memory.staticSharedBytes() - memory.gapBytes(), memory.localBytes());
    }
  }
}
