package tilewright.simulator.fuzz;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tilewright.ptx.Dim3;
import tilewright.ptx.Function;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.PtxParser;
import tilewright.ptx.PtxSyntaxException;
import tilewright.simulator.Finding;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.UnsupportedPtxException;

/**
 * The fate of a text: it is refused with a line, or its kernel runs, perhaps with findings. Anything else is a
 * failure, and so is a message that shows a record of Java.
 */
public final class PtxTrial {
  private static final int BUFFER = 4096;
  /** Where launches are refused by what they say; such an exception thrown elsewhere is a fault. */
  private static final Set<String> REFUSING = Set.of("LaunchChecks", "Arguments", "ClusterGrid", "ClusterNeed",
      "LaunchState", "MmaArithmetic", "TensorMapRules");

  private static final Pattern RECORD = Pattern.compile("\\b[A-Z]\\w*\\[(\\w+=|])");

  /**
   * A fault of the simulator.
   *
   * @param signature its type and place, which tell it from others
   * @param text of PTX, as short as it could be made
   */
  public record Failure(String signature, String text, String message) {}

  private PtxTrial() {}

  static Optional<Failure> of(String text, long seed) {
    try {
      var module = PtxParser.parse(text);
      var program = Simulator.load(module);
      var kernel = module.functions().stream().filter(f -> f.entry() && f.body().isPresent()).findFirst();
      if (kernel.isEmpty()) return Optional.empty();
      var findings = program.run(launch(text, kernel.get()), options(seed)).findings();
      return record(text, findings.stream().map(Finding::message));
    } catch (PtxSyntaxException e) {
      return e.line() > 0 ? record(text, Stream.of(e.getMessage()))
          : Optional.of(new Failure("no line", text, e.getMessage()));
    } catch (UnsupportedPtxException e) {
      boolean placed = e.problems().stream().allMatch(p -> p.line() > 0);
      return placed ? record(text, e.problems().stream().map(UnsupportedPtxException.Problem::reason))
          : Optional.of(new Failure("no line", text, e.getMessage()));
    } catch (IllegalArgumentException e) {
      return refusesTheLaunch(e) ? record(text, Stream.of(e.getMessage())) : Optional.of(failure(text, e));
    } catch (Throwable e) {
      return Optional.of(failure(text, e));
    }
  }

  private static Optional<Failure> record(String text, Stream<String> messages) {
    return messages.filter(m -> RECORD.matcher(m).find()).findFirst()
        .map(m -> new Failure("a record in a message", text, m));
  }

  private static boolean refusesTheLaunch(IllegalArgumentException e) {
    return e.getStackTrace().length > 0 && REFUSING.stream()
        .anyMatch(name -> e.getStackTrace()[0].getClassName().endsWith("." + name));
  }

  private static Failure failure(String text, Throwable e) {
    var root = e;
    while (root.getCause() != null) root = root.getCause();
    var at = Stream.of(root.getStackTrace()).filter(f -> f.getClassName().startsWith("tilewright.")).findFirst();
    // A class that the JVM refuses says why in its message, up to the numbers.
    var why = root instanceof LinkageError || at.isEmpty()
        ? String.valueOf(root.getMessage()).lines().findFirst().orElse("").replaceAll("[0-9]+", "#") : "";
    var signature = root.getClass().getSimpleName() + " at " + at.map(Object::toString).orElse("?") + " " + why;
    return new Failure(signature, text, String.valueOf(root));
  }

  private static SimulatorOptions options(long seed) {
    return SimulatorOptions.defaults().withThreads(1).withSeed(seed).withSanitizer(seed % 2 == 0)
        .withProfile(seed % 7 == 0).withInstructionLimit(20_000).withTimeLimit(Duration.ofSeconds(5))
        .withMemoryLimit(64 << 20).withOutput(_ -> {});
  }

  private static Launch launch(String text, Function kernel) {
    Map<String, MemorySegment> buffers = new LinkedHashMap<>();
    List<Argument> arguments = new ArrayList<>();
    for (var p : kernel.parameters()) {
      int bytes = (int) p.bytes();
      if (bytes == 8) {
        var name = "b" + buffers.size();
        buffers.put(name, MemorySegment.ofArray(new long[BUFFER / 8]));
        arguments.add(new Argument.Buffer(name));
      } else {
        arguments.add(new Argument.Struct(bytes, List.of()));
      }
    }
    return new Launch(text, kernel.name(), Dim3.ONE, Dim3.of(64), Dim3.ONE, 1024, buffers, arguments);
  }
}
