package tilewright.cli.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.cli.io.AtomicFile;
import tilewright.simulator.Profile;
import tools.jackson.databind.json.JsonMapper;

/**
 * Timelines in Chrome's trace event format, which Perfetto opens: a block is a process, a warp a thread, and a
 * microsecond stands for a warp instruction of the block.
 */
final class TraceFile {
  private static final int PID_OF_LAUNCH = 1 << 16;

  private final List<Map<String, Object>> events = new ArrayList<>();

  private TraceFile() {}

  /** @param rows those without a profile are left out */
  static void write(Path file, List<LaunchRow> rows) {
    var trace = new TraceFile();
    for (int i = 0; i < rows.size(); i++) {
      int first = i * PID_OF_LAUNCH;
      var name = rows.get(i).launch();
      rows.get(i).profile().ifPresent(p -> trace.add(name, first, p));
    }
    AtomicFile.write(file, JsonMapper.shared().writeValueAsString(Map.of("traceEvents", trace.events)) + "\n");
  }

  private void add(String launch, int firstPid, Profile profile) {
    var pids = new HashMap<Object, Integer>();
    for (var s : profile.timeline()) {
      boolean isNew = !pids.containsKey(s.block());
      int pid = pids.computeIfAbsent(s.block(), _ -> firstPid + pids.size());
      if (isNew) name("process_name", pid, 0, launch + " block " + s.block());
      if (s.begin() == 0) name("thread_name", pid, s.warp(), "warp " + s.warp());
      events.add(Map.of("name", s.what(), "cat", s.line() > 0 ? "wait" : "run", "ph", "X", "ts", s.begin(), "dur",
          s.end() - s.begin(), "pid", pid, "tid", s.warp(), "args", Map.of("line", s.line())));
    }
  }

  private void name(String kind, int pid, int tid, String name) {
    events.add(Map.of("name", kind, "ph", "M", "pid", pid, "tid", tid, "args", Map.of("name", name)));
  }
}
