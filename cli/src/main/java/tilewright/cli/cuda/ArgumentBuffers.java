package tilewright.cli.cuda;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Launch;
import tilewright.ptx.PtxType;

/** Makes buffers of words of arguments that are addresses of allocations, and tensor maps of their bytes. */
final class ArgumentBuffers {
  private final Allocations allocations;
  private final Map<ByteBuffer, TensorMaps.Encoded> maps = new HashMap<>();

  ArgumentBuffers(Allocations allocations) {
    this.allocations = allocations;
  }

  /** Notes a tensor map, which arguments may hold from now on, as these bytes. */
  void encoded(byte[] bytes, TensorMaps.Encoded map) {
    maps.put(ByteBuffer.wrap(bytes), map);
  }

  /**
   * Returns an argument with buffers for addresses.
   *
   * @param names the buffers by the addresses of their allocations, to which those of the argument are added
   */
  Launch.Argument buffered(Launch.Argument argument, Map<Long, String> names) {
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
            allocations.isLive(word) ? buffer(word, names) : Launch.Argument.u64(word)));
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
    long base = allocations.base(address);
    return new Launch.Argument.Buffer(names.computeIfAbsent(base, b -> allocations.name(b).replace(' ', '-')),
        address - base);
  }
}
