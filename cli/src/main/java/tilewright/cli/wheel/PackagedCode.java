package tilewright.cli.wheel;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.device.cubin.CubinCache;
import tilewright.kernel.CompiledKernel;
import tilewright.ptx.Dim3;
import tilewright.ptx.LaunchFeature;

/**
 * The code of a kernel: PTX, which any later driver compiles for its GPU, and machine code where an assembler is found.
 *
 * @param name of the files
 * @param cubin compressed; likewise {@code ptx}
 */
record PackagedCode(String name, CompiledKernel kernel, Optional<byte[]> cubin, byte[] ptx) {
  /** The end of the names of compressed files. */
  static final String SUFFIX = ".z";

  /**
   * Assembles a kernel, or takes its code from an earlier time.
   *
   * @throws IllegalStateException when the assembler rejects it
   */
  static PackagedCode of(int number, CompiledKernel kernel, Assembler assembler, CubinCache cache) {
    var text = withoutComments(kernel.ptx());
    var key = CubinCache.key(text, assembler.found().toString(), kernel.module().target());
    var cubin = cache.read(key).or(() -> assemble(kernel, text, assembler, code -> cache.write(key, code)));
    return new PackagedCode("%04d_%s".formatted(number, kernel.name()), kernel, cubin.map(PackagedCode::deflate),
        deflate(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static Optional<byte[]> assemble(CompiledKernel kernel, String text, Assembler assembler,
      Consumer<byte[]> keep) {
    var target = kernel.module().target();
    return switch (assembler.assemble(text, target)) {
      case Assembly.Assembled assembled -> {
        keep.accept(assembled.cubin());
        yield Optional.of(assembled.cubin());
      }
      case Assembly.Rejected(var log, var by) ->
          throw new IllegalStateException(by + " rejects " + kernel.name() + " for " + target + ": " + log.strip());
      case Assembly.Unavailable _ -> Optional.empty();
    };
  }

  /** Lines that the assembler needs: most of the rest says where an instruction comes from. */
  private static String withoutComments(String ptx) {
    var kept = new StringBuilder();
    ptx.lines().filter(line -> !line.isBlank() && !line.strip().startsWith("//") && !line.strip().startsWith(".loc"))
        .forEach(line -> kept.append(line).append('\n'));
    return kept.toString();
  }

  private static byte[] deflate(byte[] bytes) {
    var out = new ByteArrayOutputStream();
    var deflater = new Deflater(Deflater.BEST_COMPRESSION);
    try (var stream = new DeflaterOutputStream(out, deflater)) {
      stream.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail", e);
    } finally {
      deflater.end();
    }
    return out.toByteArray();
  }

  /** The files of the package, by their names. */
  Map<String, byte[]> files() {
    var files = new LinkedHashMap<String, byte[]>();
    if (hasPtx()) files.put(name + ".ptx" + SUFFIX, ptx);
    cubin.ifPresent(code -> files.put(name + ".cubin" + SUFFIX, code));
    return files;
  }

  /** Machine code for one GPU only is all that this GPU needs: no later one takes its PTX. */
  private boolean hasPtx() {
    return cubin.isEmpty() || !kernel.module().target().endsWith("a");
  }

  /** The launch in JSON, as far as all launches of the kernel are the same. */
  Map<String, Object> json() {
    return Map.of("entry", kernel.name(), "file", name, "target", kernel.module().target(), "cubin",
        cubin.isPresent(), "ptx", hasPtx(), "block", list(kernel.block()), "cluster", list(kernel.cluster()), "shared",
        kernel.dynamicSharedBytes(), "features", kernel.features().stream().map(LaunchFeature::text).sorted().toList());
  }

  private static List<Integer> list(Dim3 extents) {
    return List.of(extents.x(), extents.y(), extents.z());
  }
}
