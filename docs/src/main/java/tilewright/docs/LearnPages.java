package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import tilewright.docs.source.BrokenSiteException;
import tilewright.docs.source.ChangedSource;
import tilewright.docs.source.LongLines;
import tilewright.kernel.Kernel;
import tilewright.kernel.Target;
import tilewright.ops.KernelCall;
import tilewright.ops.Simulate;

/** Parts of the tutorial: its kernels' sources, and the reports that a reader gets who breaks them. */
final class LearnPages {
  private static final Path KERNELS = Path.of("docs/src/main/java/learn");
  private static final Path TEMPLATES = Path.of("cli/src/main/resources/tilewright/cli/create");
  private static final int ROWS = 64;
  private static final int COLUMNS = 128;
  private static final int DEPTH = 512;

  private LearnPages() {}

  static void write(Path root, Path generated) throws IOException {
    var kernels = root.resolve(KERNELS);
    var tiled = kernels.resolve("TiledGemm.java");
    var hopper = kernels.resolve("HopperGemm.java");
    template(root, generated, "Kernel", "learn-kernel.java");
    template(root, generated, "Test", "learn-kernel-test.java");
    save(generated, "learn-barrier.txt", tiled(broken(tiled, "k.barrier();", "", generated)));
    save(generated, "learn-copy.txt", tiled(broken(tiled, "element.copyOrZero(to.at(place), element.inside());",
        "to.at(place).store(element.load());", generated)));
    save(generated, "learn-release.txt", hopper(broken(hopper, "reading.releaseAndAdvance(thread);",
        "reading.advance();", generated)));
  }

  /** A file as {@code new kernel learn} writes it. */
  private static void template(Path root, Path generated, String file, String name) throws IOException {
    var text = Files.readString(root.resolve(TEMPLATES).resolve(file + ".java.txt"));
    Files.writeString(generated.resolve(name), text.replace("@NAME@", "learn").replace("@CLASS@", "Learn"));
  }

  private static Kernel broken(Path source, String line, String changed, Path generated) throws IOException {
    var folder = generated.resolve("changed").resolve(Integer.toHexString((line + changed).hashCode()));
    var type = ChangedSource.load(source, line, changed, folder);
    try {
      var constructor = type.getConstructors()[0];
      return (Kernel) (constructor.getParameterCount() == 0 ? constructor.newInstance() : constructor.newInstance(4));
    } catch (ReflectiveOperationException e) {
      throw new BrokenSiteException(List.of(source + ": " + e));
    }
  }

  private static KernelCall tiled(Kernel kernel) {
    return call(kernel, 65, 64, 33).grid(2, 1);
  }

  private static KernelCall hopper(Kernel kernel) {
    return call(kernel, ROWS, COLUMNS, DEPTH).target(Target.SM90A).grid(1);
  }

  private static KernelCall call(Kernel kernel, int m, int n, int k) {
    return Simulate.kernel(kernel).in("A", numbers(m * k, 1), m, k).in("B", numbers(n * k, 2), n, k).out("C", m, n);
  }

  private static double[] numbers(int count, long seed) {
    return new Random(seed).ints(count, -4, 5).asDoubleStream().toArray();
  }

  /** Saves the report of a run that must find something. */
  private static void save(Path generated, String name, KernelCall call) throws IOException {
    var run = call.run();
    if (run.findings().isEmpty()) throw new BrokenSiteException(List.of(name + ": the broken kernel has no finding"));
    Files.writeString(generated.resolve(name), LongLines.wrapped(run.report()));
  }
}
