package tilewright.cli.cuda;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Scanner;
import java.util.Set;
import java.util.TreeMap;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.InputFile;
import tilewright.cli.launch.LaunchFileWriter;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;
import tilewright.ptx.PtxParser;
import tilewright.ptx.PtxPrinter;
import tilewright.ptx.PtxSyntaxException;
import tilewright.ptx.PtxType;

/** A launch that {@code recorder.c} wrote beside a real GPU. */
final class GpuRecord implements Allocations {
  private static final String TEXT = "launch.txt";
  private static final int MAP_WORDS = 27;
  /** The grid, the block and the cluster. */
  private static final int EXTENTS = 3;

  private final Path folder;
  private final int architecture;
  private final TreeMap<Long, Long> bytes = new TreeMap<>();
  private final Map<String, byte[]> variables = new TreeMap<>();
  private final ArgumentBuffers buffers = new ArgumentBuffers(this);
  private final List<byte[]> parameters = new ArrayList<>();
  private final Map<String, Dim3> extents = new TreeMap<>();
  private String entry = "";
  private String image = "";
  private int shared;
  private boolean cooperative;

  private GpuRecord(Path folder, int architecture) {
    this.folder = folder;
    this.architecture = architecture;
  }

  /**
   * Writes the launches of a recorder's folder as files that {@code sim} runs, and returns how many there are.
   *
   * @param architecture of the GPU that stands for the one that was recorded
   * @throws CommandFailure if the folder has no launches, or if one cannot be read
   */
  static int convert(Path recorded, Path out, int architecture) {
    var folders = launches(recorded);
    if (folders.isEmpty()) throw CommandFailure.badFile(recorded, "has no launches that the recorder wrote");
    for (var folder : folders) {
      try {
        new GpuRecord(folder, architecture).convert(out);
      } catch (NoSuchElementException _) {
        throw CommandFailure.badFile(folder.resolve(TEXT),
            "is no whole record: a line is cut off, or has something else where a number is needed");
      } catch (IllegalArgumentException | PtxSyntaxException e) {
        throw CommandFailure.badFile(folder.resolve(TEXT), "is no whole record: " + e.getMessage());
      }
    }
    return folders.size();
  }

  private static List<Path> launches(Path recorded) {
    if (!Files.isDirectory(recorded)) throw CommandFailure.badFile(recorded, "there is no such folder");
    try (var files = Files.list(recorded)) {
      return files.filter(file -> Files.exists(file.resolve(TEXT))).sorted().toList();
    } catch (IOException e) {
      throw CommandFailure.badFile(recorded, "cannot be read: " + InputFile.reason(e));
    }
  }

  private byte[] file(String name) {
    return InputFile.bytes(folder.resolve(name));
  }

  private void convert(Path out) {
    for (var line : new String(file(TEXT), StandardCharsets.UTF_8).lines().toList()) read(new Scanner(line));
    if (entry.isEmpty() || image.isEmpty() || extents.size() < EXTENTS) {
      throw new IllegalArgumentException("it lacks the entry, the image, the grid, the block or the cluster");
    }
    var names = new TreeMap<Long, String>();
    var arguments = parameters.stream().map(p -> buffers.buffered(struct(p), names)).toList();
    var launch = new Launch(ptx(), entry, extents.get("grid"), extents.get("block"), extents.get("cluster"), shared,
        cooperative ? Set.of(LaunchFeature.COOPERATIVE) : Set.of(), Set.of(), contents(names, "before"), arguments);
    var own = out.resolve(folder.getFileName() + "-" + entry);
    LaunchFileWriter.write(own, launch);
    // A launch that failed has no results.
    boolean ended = names.keySet().stream().allMatch(base -> Files.exists(folder.resolve(name(base) + ".after")));
    if (ended) LaunchFileWriter.writeExpected(own, launch.on(contents(names, "after")), names.values(), architecture);
  }

  private void read(Scanner line) {
    var key = line.next();
    switch (key) {
      case "entry" -> entry = line.next();
      case "image" -> image = "image" + line.nextInt();
      case "grid", "block", "cluster" -> extents.put(key, new Dim3(line.nextInt(), line.nextInt(), line.nextInt()));
      case "shared" -> shared = line.nextInt();
      case "cooperative" -> cooperative = line.nextInt() != 0;
      case "parameter" -> {
        line.nextInt();
        parameters.add(HexFormat.of().parseHex(line.next()));
      }
      case "map" -> map(line);
      case "variable" -> {
        var name = line.next();
        variables.put(name, file(name + ".value"));
      }
      case "allocation" -> bytes.put(Long.parseUnsignedLong(line.next(), 16), line.nextLong());
      default -> throw new IllegalArgumentException("'" + key + "' is not known");
    }
  }

  private void map(Scanner line) {
    var words = ByteBuffer.allocate(MAP_WORDS * Long.BYTES);
    for (int i = 0; i < MAP_WORDS; i++) words.putLong(line.nextLong());
    buffers.encoded(HexFormat.of().parseHex(line.next()), TensorMaps.encode(words.flip(), architecture));
  }

  private String ptx() {
    var content = InputFile.bytes(folder.resolveSibling(image));
    var text = FatBinary.isOne(content) ? FatBinary.read(content).best(architecture)
        .orElseThrow(() -> new IllegalArgumentException(image + " has no PTX for sm_" + architecture
            + ": compile with -gencode arch=compute_" + architecture + ",code=compute_" + architecture)).text()
        : new String(content, StandardCharsets.UTF_8);
    return PtxPrinter.print(PresentValues.in(PtxParser.parse(text), variables));
  }

  private Map<String, MemorySegment> contents(Map<Long, String> names, String when) {
    var contents = new TreeMap<String, MemorySegment>();
    names.forEach((base, name) -> contents.put(name, MemorySegment.ofArray(file(name + "." + when))));
    return contents;
  }

  private static Launch.Argument struct(byte[] content) {
    var fields = new ArrayList<Launch.Argument.Field>();
    for (int i = 0; i < content.length; i++) {
      fields.add(new Launch.Argument.Field(i, new Launch.Argument.Scalar(PtxType.U8, content[i] & 0xFF)));
    }
    return new Launch.Argument.Struct(content.length, fields);
  }

  @Override
  public boolean isLive(long address) {
    var found = bytes.floorEntry(address);
    return found != null && address - found.getKey() < found.getValue();
  }

  @Override
  public long base(long address) {
    return bytes.floorKey(address);
  }

  @Override
  public String name(long base) {
    return Long.toHexString(base);
  }
}
