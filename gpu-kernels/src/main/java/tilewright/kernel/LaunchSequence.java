package tilewright.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.ptx.Launch;

/**
 * Launches that run one after the other, with memory that only they use.
 *
 * @param workspace buffers that the launches share; what is in them before the first launch does not matter
 */
public record LaunchSequence(List<PreparedLaunch> launches, List<PreparedLaunch.Scratch> workspace) {
  private static final int ALIGNMENT = 256;

  public LaunchSequence {
    launches = List.copyOf(launches);
    workspace = List.copyOf(workspace);
  }

  /** Creates a sequence of one launch. */
  public static LaunchSequence of(PreparedLaunch only) {
    return new LaunchSequence(List.of(only), List.of());
  }

  /** Bytes of all buffers of the workspace. */
  public long workspaceBytes() {
    return workspace.stream().mapToLong(PreparedLaunch.Scratch::bytes).sum();
  }

  /** The launches on these buffers, by the names that the arguments use; the workspace is new where it is not given. */
  public List<Launch> on(Map<String, MemorySegment> buffers) {
    var all = new HashMap<>(buffers);
    for (var part : workspace) {
      all.computeIfAbsent(part.name(), _ -> Arena.ofAuto().allocate(Math.max(1, part.bytes()), ALIGNMENT));
    }
    return launches.stream().map(launch -> launch.on(all)).toList();
  }
}
