package tilewright.kernel;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tilewright.ptx.PtxModule;
import tilewright.ptx.Statement;

/** The kernels' source lines that instructions come from. */
final class SourceLines {
  private final Map<String, Integer> files = new LinkedHashMap<>();

  /** The line of the innermost kernel that is being traced, or null. */
  Statement.Location present() {
    return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(frames -> frames
        .filter(f -> Kernel.class.isAssignableFrom(f.getDeclaringClass())).findFirst()
        .map(f -> new Statement.Location(
            files.computeIfAbsent(f.getFileName(), _ -> files.size() + 1), f.getLineNumber(), 0))
        .orElse(null));
  }

  List<PtxModule.ModuleItem> declarations() {
    return files.entrySet().stream()
        .<PtxModule.ModuleItem>map(e -> new PtxModule.SourceFile(e.getValue(), e.getKey())).toList();
  }
}
