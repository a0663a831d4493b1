package tilewright.cli.sweep;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.InputFile;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The content of a file of results: JSON lines, each a plan or a result. An interrupted run may leave the last line cut
 * off.
 *
 * @param whole the number of bytes before the line that is cut off
 * @param cutOff the number of that line, if there is one
 */
record SweepFile(Path path, List<SweepPlan> plans, List<SweepResult> results, long whole, Optional<Integer> cutOff) {

  /** @throws CommandFailure if the file cannot be read, or a line that is not the last one is no plan and no result */
  static SweepFile read(Path file) {
    var bytes = InputFile.bytes(file);
    var plans = new ArrayList<SweepPlan>();
    var results = new ArrayList<SweepResult>();
    int line = 1;
    for (int begin = 0; begin < bytes.length; line++) {
      int end = endOfLine(bytes, begin);
      if (end == bytes.length) return new SweepFile(file, plans, results, begin, Optional.of(line));
      try {
        add(new String(bytes, begin, end - begin, StandardCharsets.UTF_8), plans, results);
      } catch (JacksonException | IllegalArgumentException e) {
        if (end + 1 == bytes.length) return new SweepFile(file, plans, results, begin, Optional.of(line));
        throw CommandFailure.badFile(file, "line " + line + " is no result of a sweep (" + reason(e)
            + "); needed is a file that --results has written");
      }
      begin = end + 1;
    }
    return new SweepFile(file, plans, results, bytes.length, Optional.empty());
  }

  private static int endOfLine(byte[] bytes, int begin) {
    int end = begin;
    while (end < bytes.length && bytes[end] != '\n') end++;
    return end;
  }

  private static void add(String line, List<SweepPlan> plans, List<SweepResult> results) {
    var json = JsonMapper.shared().readTree(line);
    if (json.has("runs")) {
      plans.add(SweepPlan.of(json));
    } else if (json.has("payload") || json.has("kernel")) {
      results.add(SweepResult.of(json));
    } else {
      throw new IllegalArgumentException("neither runs nor a payload are in it");
    }
  }

  private static String reason(RuntimeException e) {
    var text = e instanceof JacksonException json ? json.getOriginalMessage() : e.getMessage();
    return String.valueOf(text).lines().findFirst().orElse("empty");
  }

  /** Returns a remark on the line that is cut off, if there is one. */
  Optional<String> remark() {
    return cutOff.map(line -> path + ": line " + line + " is cut off, so its run counts as missing");
  }
}
