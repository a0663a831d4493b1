package tilewright.cli.wheel;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;
import tilewright.ptx.Dim3;
import tilewright.ptx.LaunchFeature;

/**
 * The code of all kernels in blocks that are compressed as a whole: kernels of one family have most of their bytes in
 * common. Python unpacks the block of a kernel when it loads it.
 */
final class CodeBlocks {
  /** The end of the names of compressed files. */
  static final String SUFFIX = ".xz";
  /** Bytes of a block before it is compressed: a larger one is smaller in sum, and takes longer to unpack. */
  private static final int BYTES = 2 << 20;

  private final List<PackagedCode> kernels;
  private final List<ByteArrayOutputStream> blocks = new ArrayList<>();
  private final Map<PackagedCode, List<Integer>> cubins;
  private final Map<PackagedCode, List<Integer>> ptx;

  CodeBlocks(List<PackagedCode> kernels) {
    this.kernels = List.copyOf(kernels);
    cubins = places(PackagedCode::cubin);
    ptx = places(PackagedCode::ptx);
  }

  /** Writes code of one kind to new blocks: the number of the block, where it begins there, and its bytes. */
  private Map<PackagedCode, List<Integer>> places(Function<PackagedCode, Optional<byte[]>> kind) {
    var places = new IdentityHashMap<PackagedCode, List<Integer>>();
    var block = new ByteArrayOutputStream();
    // Kernels of one name and nearly one length are mostly forms of one another: together they are smaller.
    var order = Comparator.<PackagedCode, String>comparing(kernel -> kernel.kernel().name())
        .thenComparing(kernel -> kind.apply(kernel).orElseThrow().length);
    for (var kernel : kernels.stream().filter(kernel -> kind.apply(kernel).isPresent()).sorted(order).toList()) {
      var code = kind.apply(kernel).orElseThrow();
      if (block.size() == 0 || block.size() + code.length > BYTES) {
        block = new ByteArrayOutputStream();
        blocks.add(block);
      }
      places.put(kernel, List.of(blocks.size() - 1, block.size(), code.length));
      block.writeBytes(code);
    }
    return places;
  }

  /** The compressed blocks by the names of their files. */
  Map<String, byte[]> files() {
    var compressed = IntStream.range(0, blocks.size()).parallel().mapToObj(i -> compress(blocks.get(i))).toList();
    var files = new LinkedHashMap<String, byte[]>();
    for (var content : compressed) files.put("%04d%s".formatted(files.size(), SUFFIX), content);
    return files;
  }

  /** The kernels in JSON by their numbers: a launch, as far as all launches of the kernel are the same, and its code. */
  List<Map<String, Object>> json() {
    return kernels.stream().map(this::json).toList();
  }

  private Map<String, Object> json(PackagedCode code) {
    var kernel = code.kernel();
    return Map.of("entry", kernel.name(), "target", kernel.module().target(),
        "cubin", cubins.getOrDefault(code, List.of()), "ptx", ptx.getOrDefault(code, List.of()),
        "block", list(kernel.block()), "cluster", list(kernel.cluster()), "shared", kernel.dynamicSharedBytes(),
        "features", kernel.features().stream().map(LaunchFeature::text).sorted().toList());
  }

  private static List<Integer> list(Dim3 extents) {
    return List.of(extents.x(), extents.y(), extents.z());
  }

  private static byte[] compress(ByteArrayOutputStream block) {
    var out = new ByteArrayOutputStream();
    try (var stream = new XZOutputStream(out, options())) {
      block.writeTo(stream);
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail", e);
    }
    return out.toByteArray();
  }

  /** Options for machine code, whose instructions lie at multiples of 16 bytes. */
  private static LZMA2Options options() throws IOException {
    var options = new LZMA2Options(LZMA2Options.PRESET_DEFAULT);
    options.setLcLp(2, 2);
    options.setPb(4);
    return options;
  }
}
