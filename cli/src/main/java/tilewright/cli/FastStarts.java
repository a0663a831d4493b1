package tilewright.cli;

import java.nio.file.Path;
import tilewright.cli.io.Exit;
import tilewright.cli.launch.LaunchFile;
import tilewright.cli.launch.LaunchFileWriter;
import tilewright.verification.bench.SimulatorBenchmark;

/**
 * A layout and a launch for which the JVM notes what it loads, so that it keeps these classes ready for later starts.
 * The launcher runs it after a build, with the option that makes the JVM write its ahead-of-time cache.
 */
final class FastStarts {
  private FastStarts() {}

  /** Takes the folder that the launch is written to. */
  public static void main(String[] arguments) {
    var folder = Path.of(arguments[0]);
    LaunchFileWriter.write(folder, SimulatorBenchmark.smallLaunch());
    run("layout", "eval", "--json", "(4,(2,2)):(1,(4,8))", "logical_divide((8,4):(4,1), [4;2])", "size(");
    run("sim", folder.resolve(LaunchFile.NAME).toString());
  }

  private static void run(String... command) {
    int status = Main.run(System.in, System.out, System.err, command);
    System.out.println(command[0] + (status == Exit.OK ? ": done" : ": exit code " + status));
  }
}
