package tilewright.cli.wheel;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Consumer;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.device.cubin.CubinCache;
import tilewright.kernel.CompiledKernel;

/**
 * The code of a kernel: PTX, which any later driver compiles for its GPU, and machine code where an assembler is found.
 *
 * @param ptx absent where machine code is all that the GPU needs: no later one takes PTX for one GPU only
 */
record PackagedCode(CompiledKernel kernel, Optional<byte[]> cubin, Optional<byte[]> ptx) {
  /**
   * Assembles a kernel, or takes its code from an earlier time.
   *
   * @throws IllegalStateException when the assembler rejects it
   */
  static PackagedCode of(CompiledKernel kernel, Assembler assembler, CubinCache cache) {
    var text = withoutComments(kernel.ptx());
    var key = CubinCache.key(text, assembler.found().toString(), kernel.module().target());
    var cubin = cache.read(key).or(() -> assemble(kernel, text, assembler, code -> cache.write(key, code)));
    var forOneGpu = cubin.isPresent() && kernel.module().target().endsWith("a");
    return new PackagedCode(kernel, cubin,
        forOneGpu ? Optional.empty() : Optional.of(text.getBytes(StandardCharsets.UTF_8)));
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
}
