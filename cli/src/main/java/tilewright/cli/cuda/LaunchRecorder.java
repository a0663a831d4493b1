package tilewright.cli.cuda;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tilewright.cli.launch.LaunchFileWriter;
import tilewright.ptx.Launch;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxPrinter;
import tilewright.ptx.PtxType;
import tilewright.ptx.Variable;
import tilewright.simulator.ResidentProgram;

/**
 * Writes a process's launches as files that {@code sim} runs again. Words of arguments that are addresses of allocations
 * become buffers; the module's variables begin with the values that they have before the launch.
 */
final class LaunchRecorder {
  private final Path folder;
  private final SharedMemory memory;
  private final Map<ByteBuffer, TensorMaps.Encoded> maps = new HashMap<>();

  /** @param folder the folder of all launches' folders */
  LaunchRecorder(Path folder, SharedMemory memory) {
    this.folder = folder;
    this.memory = memory;
  }

  /** A launch whose beginning is written: the buffers by the addresses of their allocations. */
  record Begun(Path folder, Launch launch, Map<Long, String> buffers) {}

  /** Notes a tensor map, which arguments may hold from now on. */
  void encoded(TensorMaps.Encoded map) {
    maps.put(ByteBuffer.wrap(map.bytes()), map);
  }

  /** Writes a launch before it runs. */
  Begun begin(long number, ResidentProgram program, Launch launch) {
    var names = new TreeMap<Long, String>();
    var arguments = launch.arguments().stream().map(a -> buffered(a, names)).toList();
    var buffers = new TreeMap<String, MemorySegment>();
    names.forEach((address, name) -> buffers.put(name, MemorySegment.ofArray(memory.snapshot(address))));
    var recorded = new Launch(PtxPrinter.print(withPresentValues(program)), launch.entry(), launch.grid(),
        launch.block(), launch.cluster(), launch.dynamicSharedBytes(), launch.features(), launch.ahead(), buffers,
        arguments);
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

  private Launch.Argument buffered(Launch.Argument argument, Map<Long, String> names) {
    if (!(argument instanceof Launch.Argument.Struct(int bytes, var fields))) return argument;
    var content = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (var f : fields) {
      if (!(f.value() instanceof Launch.Argument.Scalar(var type, long bits))) continue;
      for (int i = 0; i < type.bytes(); i++) content.put(f.offset() + i, (byte) (bits >>> 8 * i));
    }
    var replaced = new ArrayList<Launch.Argument.Field>();
    for (int at = 0; at < bytes; ) {
      var map = mapAt(content, at);
      if (map.isPresent()) {
        var encoded = map.get();
        replaced.add(new Launch.Argument.Field(at,
            new Launch.Argument.TensorMapOf(buffer(encoded.address(), names), encoded.map())));
        at += Launch.Argument.TENSOR_MAP_BYTES;
      } else if (at + Long.BYTES <= bytes) {
        long word = content.getLong(at);
        replaced.add(new Launch.Argument.Field(at,
            memory.isLive(word) ? buffer(word, names) : Launch.Argument.u64(word)));
        at += Long.BYTES;
      } else if (at + Integer.BYTES <= bytes) {
        replaced.add(new Launch.Argument.Field(at, Launch.Argument.u32(content.getInt(at))));
        at += Integer.BYTES;
      } else {
        replaced.add(new Launch.Argument.Field(at,
            new Launch.Argument.Scalar(PtxType.U8, Byte.toUnsignedLong(content.get(at)))));
        at++;
      }
    }
    return replaced.size() == 1 ? replaced.getFirst().value() : new Launch.Argument.Struct(bytes, replaced);
  }

  private Optional<TensorMaps.Encoded> mapAt(ByteBuffer content, int at) {
    if (maps.isEmpty() || at + Launch.Argument.TENSOR_MAP_BYTES > content.capacity()) return Optional.empty();
    return Optional.ofNullable(maps.get(content.slice(at, Launch.Argument.TENSOR_MAP_BYTES)));
  }

  private Launch.Argument.Buffer buffer(long address, Map<Long, String> names) {
    long base = memory.base(address);
    return new Launch.Argument.Buffer(names.computeIfAbsent(base, b -> memory.name(b).replace(' ', '-')),
        address - base);
  }

  /** The module, whose variables hold what they do now. */
  private PtxModule withPresentValues(ResidentProgram program) {
    var module = program.module();
    var variables = program.variables();
    return new PtxModule(module.version(), module.targets(), module.addressSize(), module.items().stream()
        .map(item -> item instanceof Variable v && variables.containsKey(v.name())
            ? presently(v, memory.snapshot(variables.get(v.name()).address())) : item).toList());
  }

  private static Variable presently(Variable v, byte[] contents) {
    var values = new ArrayList<Operand>();
    for (byte b : contents) values.add(new Operand.Integer(Byte.toUnsignedLong(b)));
    int alignment = Math.max(v.alignment(), v.type().bytes() * v.vector());
    return new Variable(v.linkage(), v.space(), alignment, 1, PtxType.B8, v.name(), List.of((long) contents.length),
        values);
  }
}
