package tilewright.cli.cuda;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tilewright.cli.io.CommandFailure;

/** NVIDIA's compiler, which puts PTX for the chosen device into a program. */
final class Nvcc {
  private Nvcc() {}

  /**
   * Compiles a source file and returns the compiler's warnings.
   *
   * @param library the folder of the {@link RuntimeLibrary}, for programs that use the driver API
   * @param more options besides
   * @throws CommandFailure if there is no nvcc, or if it refuses the source
   */
  static String compile(Path source, Path program, SimulatedDevice device, Path library, List<String> more) {
    var command = new ArrayList<>(List.of("nvcc", "-cudart", "shared", "-lineinfo", "-gencode",
        "arch=" + device.target() + ",code=" + device.target(), "-L" + library, "-Xlinker",
        "-rpath-link," + library, "-o", program.toString(), source.toString()));
    command.addAll(more);
    var result = Tool.run(command, Path.of("").toAbsolutePath(),
        source + " is to be compiled, for which nvcc of the CUDA toolkit must be on the PATH");
    if (result.status() != 0) throw CommandFailure.badFile(source, "nvcc cannot compile it:\n" + result.text().strip());
    return result.text().strip();
  }
}
