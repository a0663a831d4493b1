package tilewright.cli.launch;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.InputFile;
import tilewright.ops.TensorCoordinates;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;
import tilewright.simulator.Coordinates;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes launches as folders of {@code launch.json}, {@code kernel.ptx} and one {@code .bin} file a buffer. */
public final class LaunchFileWriter {
  private static final JsonMapper PRETTY = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private LaunchFileWriter() {}

  /** Writes a launch as it is before it runs; the folder is made if it is missing. */
  public static void write(Path folder, Launch launch) {
    write(folder, launch, Map.of());
  }

  /** @param elements what the buffers hold, where it is known */
  public static void write(Path folder, Launch launch, Map<String, Coordinates> elements) {
    LaunchFile.writeBuffers(folder, launch.buffers());
    AtomicFile.write(folder.resolve("kernel.ptx"), launch.ptx());
    var root = PRETTY.createObjectNode();
    root.put("version", LaunchFile.VERSION).put("ptx", "kernel.ptx").put("entry", launch.entry());
    extents(root.putArray("grid"), launch.grid());
    extents(root.putArray("block"), launch.block());
    extents(root.putArray("cluster"), launch.cluster());
    root.put("dynamicSharedBytes", launch.dynamicSharedBytes());
    if (!launch.features().isEmpty()) {
      launch.features().stream().map(LaunchFeature::text).sorted().forEach(root.putArray("features")::add);
    }
    var buffers = root.putObject("buffers");
    new TreeMap<>(launch.buffers()).forEach((name, bytes) -> {
      var buffer = buffers.putObject(name).put("bytes", bytes.byteSize()).put("file", name + ".bin");
      if (elements.get(name) instanceof TensorCoordinates(int bits, var layout, long begin) && begin == 0) {
        buffer.put("dtype", "b" + bits).put("layout", layout.toString());
      }
      if (launch.ahead().contains(name)) buffer.put("ahead", true);
    });
    var arguments = root.putArray("args");
    launch.arguments().forEach(argument -> argument(arguments.addObject(), argument));
    AtomicFile.write(folder.resolve(LaunchFile.NAME), PRETTY.writeValueAsString(root));
  }

  /**
   * Makes the present contents of these buffers what the launch file expects.
   *
   * @param architecture compute capability times ten of the GPU that they are from
   */
  static void recordExpected(LaunchFile file, Collection<String> buffers, int architecture) {
    recordExpected(file.path(), file.launch(), buffers, architecture);
  }

  /**
   * Makes the present contents of these buffers what a written launch expects.
   *
   * @param folder where it was written
   */
  public static void writeExpected(Path folder, Launch launch, Collection<String> buffers, int architecture) {
    recordExpected(folder.resolve(LaunchFile.NAME), launch, buffers, architecture);
  }

  private static void recordExpected(Path file, Launch launch, Collection<String> buffers, int architecture) {
    var root = (ObjectNode) PRETTY.readTree(InputFile.bytes(file));
    root.put("architecture", architecture);
    var expect = root.putObject("expect");
    for (var name : buffers) {
      var binary = file.resolveSibling(name + ".expected.bin");
      AtomicFile.writeDerived(binary, channel -> AtomicFile.writeFully(channel, ByteBuffer.wrap(launch.bytes(name))));
      expect.put(name, binary.getFileName().toString());
    }
    AtomicFile.write(file, PRETTY.writeValueAsString(root));
  }

  private static void extents(ArrayNode array, Dim3 extents) {
    array.add(extents.x()).add(extents.y()).add(extents.z());
  }

  private static void argument(ObjectNode node, Argument argument) {
    switch (argument) {
      case Argument.Buffer(var name, long offset) -> node.put("buffer", name).put("bufferOffset", offset);
      // Bits, because JSON numbers have neither NaN nor infinity.
      case Argument.Scalar(var type, long bits) -> node.put(type.text(), "0x" + Long.toHexString(bits));
      case Argument.TensorMapOf map -> LaunchTensorMap.write(node.putObject("tensorMap"), map);
      case Argument.Struct(int bytes, var fields) -> {
        var struct = node.putObject("struct").put("bytes", bytes);
        var list = struct.putArray("fields");
        for (var field : fields) argument(list.addObject().put("offset", field.offset()), field.value());
      }
    }
  }
}
