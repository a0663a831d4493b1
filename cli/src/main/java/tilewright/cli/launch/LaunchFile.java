package tilewright.cli.launch;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.InputFile;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchGroup;
import tilewright.simulator.Coordinates;

/**
 * A {@code launch.json}: a launch, or one for each of several devices, and what the buffers shall hold afterwards. The
 * files that it names lie beside it.
 *
 * @param ptx where the PTX was read
 * @param expected contents by buffer
 * @param uninitialised buffers whose first contents mean nothing
 * @param elements of buffers whose type, and layout if it is not one run of elements, the file gives
 * @param architecture compute capability times ten of the GPU that made what is expected, where one did: its tensor
 *     cores add up otherwise than those of the PTX's target
 */
public record LaunchFile(Path path, Path ptx, Work work, Map<String, byte[]> expected, Set<String> uninitialised,
    Map<String, Coordinates> elements, OptionalInt architecture) {
  public static final String NAME = "launch.json";

  /** The version of the format that is written, and the newest that is read. */
  static final int VERSION = 1;

  /** The launches of a file. */
  sealed interface Work {
    /** A launch that runs alone. */
    record One(Launch launch) implements Work {}

    /** Launches of several devices that run at the same time. */
    record Several(LaunchGroup group) implements Work {}
  }

  /** The longest name of a buffer, in characters: with what is added to it, a file can have it. */
  static final int LONGEST_NAME = 60;

  /**
   * Reads a launch whose files lie in its folder or below.
   *
   * @throws CommandFailure naming the file, the place in it and what is needed there
   */
  static LaunchFile read(Path path) {
    return read(path, false, MemoryLimit.ofJava());
  }

  /**
   * Reads a launch.
   *
   * @param allowOutside whether the files that it names may lie anywhere
   * @param limit checked before any buffer is allocated and any file that it names is read
   * @throws CommandFailure naming the file, the place in it and what is needed there
   */
  static LaunchFile read(Path path, boolean allowOutside, MemoryLimit limit) {
    return new LaunchFileReader(path, new LaunchInputs(path, allowOutside), limit).read();
  }

  /**
   * The only launch.
   *
   * @throws CommandFailure if there are several
   */
  Launch launch() {
    return switch (work) {
      case Work.One(var launch) -> launch;
      case Work.Several _ -> throw CommandFailure.badFile(path, "has launches of several devices at once, which only "
          + "sim runs, without --explore and --schedule");
    };
  }

  /** The buffers of all launches, by name. */
  Map<String, MemorySegment> buffers() {
    return switch (work) {
      case Work.One(var launch) -> launch.buffers();
      case Work.Several(var group) -> group.buffers();
    };
  }

  private byte[] bytes(String buffer) {
    return buffers().get(buffer).toArray(ValueLayout.JAVA_BYTE);
  }

  /** Says where the buffers differ from what was expected, or nothing if they do not. */
  Optional<String> mismatch() {
    return new TreeMap<>(expected).entrySet().stream()
        .flatMap(e -> difference(e.getKey(), bytes(e.getKey()), e.getValue()).stream())
        .reduce((a, b) -> a + "; " + b);
  }

  private Optional<String> difference(String buffer, byte[] actual, byte[] expected) {
    if (actual.length != expected.length) {
      return Optional.of(buffer + ": has " + actual.length + " bytes, expected are " + expected.length);
    }
    var first = Arrays.mismatch(actual, expected);
    if (first < 0) return Optional.empty();
    var count = 0;
    for (var i = first; i < actual.length; i++) if (actual[i] != expected[i]) count++;
    var element = Optional.ofNullable(elements.get(buffer)).flatMap(e -> e.of(first));
    return Optional.of("%s: byte %d%s is 0x%02x, expected 0x%02x; %d of %d bytes differ".formatted(buffer, first,
        element.map(e -> " (element " + e + ")").orElse(""), actual[first], expected[first], count, actual.length));
  }

  /** Writes each buffer as {@code NAME.bin} into the folder, which is made if it is missing. */
  static void writeBuffers(Path folder, Map<String, MemorySegment> buffers) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw CommandFailure.badFile(folder, "cannot be made: " + InputFile.reason(e));
    }
    buffers.forEach((name, bytes) -> AtomicFile.writeDerived(folder.resolve(name + ".bin"),
        channel -> AtomicFile.writeFully(channel, bytes.asByteBuffer())));
  }

  /** Copies of the buffers' present contents. */
  Map<String, byte[]> snapshot() {
    var contents = new TreeMap<String, byte[]>();
    buffers().keySet().forEach(name -> contents.put(name, bytes(name)));
    return contents;
  }
}
