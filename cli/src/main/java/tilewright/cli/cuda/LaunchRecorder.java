package tilewright.cli.cuda;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tilewright.cli.launch.LaunchFileWriter;
import tilewright.ptx.Launch;
import tilewright.ptx.PtxPrinter;
import tilewright.simulator.ResidentProgram;

/**
 * Writes a process's launches as files that {@code sim} runs again. Words of arguments that are addresses of
 * allocations become buffers; the module's variables begin with the values that they have before the launch.
 */
final class LaunchRecorder {
  private final Path folder;
  private final SharedMemory memory;
  private final ArgumentBuffers arguments;

  /** @param folder the folder of all launches' folders */
  LaunchRecorder(Path folder, SharedMemory memory) {
    this.folder = folder;
    this.memory = memory;
    arguments = new ArgumentBuffers(memory);
  }

  /** A launch whose beginning is written: the buffers by the addresses of their allocations. */
  record Begun(Path folder, Launch launch, Map<Long, String> buffers) {}

  /** Notes a tensor map, which arguments may hold from now on. */
  void encoded(TensorMaps.Encoded map) {
    arguments.encoded(map.bytes(), map);
  }

  /** Writes a launch before it runs. */
  Begun begin(long number, ResidentProgram program, Launch launch) {
    var names = new TreeMap<Long, String>();
    var replaced = launch.arguments().stream().map(a -> arguments.buffered(a, names)).toList();
    var buffers = new TreeMap<String, MemorySegment>();
    names.forEach((address, name) -> buffers.put(name, MemorySegment.ofArray(memory.snapshot(address))));
    var ptx = PtxPrinter.print(PresentValues.in(program.module(), contents(program, memory)));
    var recorded = new Launch(ptx, launch.entry(), launch.grid(), launch.block(), launch.cluster(),
        launch.dynamicSharedBytes(), launch.features(), launch.ahead(), buffers, replaced);
    var own = folder.resolve("%06d-%s".formatted(number, launch.entry()));
    LaunchFileWriter.write(own, recorded);
    return new Begun(own, recorded, names);
  }

  /**
   * Writes what a launch has made of its buffers.
   *
   * @param touched the allocations that it used
   * @return the names of those that its arguments do not name
   */
  List<String> finish(Begun begun, List<Long> touched, ResidentProgram program, int architecture) {
    var buffers = new TreeMap<String, MemorySegment>();
    begun.buffers.forEach((address, name) -> buffers.put(name, MemorySegment.ofArray(memory.snapshot(address))));
    LaunchFileWriter.writeExpected(begun.folder, begun.launch.on(buffers), buffers.keySet(), architecture);
    var own = program.variables().values().stream().map(ResidentProgram.Variable::address).toList();
    return touched.stream().filter(address -> !begun.buffers.containsKey(address) && !own.contains(address))
        .map(memory::name).toList();
  }

  private static Map<String, byte[]> contents(ResidentProgram program, SharedMemory memory) {
    var contents = new TreeMap<String, byte[]>();
    program.variables().forEach((name, variable) -> contents.put(name, memory.snapshot(variable.address())));
    return contents;
  }
}
