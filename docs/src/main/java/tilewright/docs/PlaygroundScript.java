package tilewright.docs;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.teavm.backend.javascript.JSModuleType;
import org.teavm.diagnostics.DefaultProblemTextConsumer;
import org.teavm.diagnostics.Problem;
import org.teavm.tooling.TeaVMTargetType;
import org.teavm.tooling.TeaVMTool;
import org.teavm.tooling.TeaVMToolException;
import org.teavm.vm.TeaVMOptimizationLevel;
import tilewright.docs.source.BrokenSiteException;
import tilewright.layout.Layout;
import tilewright.playground.Playground;

/** The playground and the layout algebra as one script, translated by TeaVM; it loads nothing. */
final class PlaygroundScript {
  static final String NAME = "playground.js";

  private PlaygroundScript() {}

  /** @throws BrokenSiteException if the playground uses what TeaVM lacks of the JDK */
  static void write(Path site) throws IOException {
    var tool = new TeaVMTool();
    tool.setTargetType(TeaVMTargetType.JAVASCRIPT);
    tool.setJsModuleType(JSModuleType.NONE);
    tool.setObfuscated(true);
    tool.setOptimizationLevel(TeaVMOptimizationLevel.FULL);
    tool.setTargetDirectory(site.toFile());
    tool.setTargetFileName(NAME);
    tool.setMainClass(Playground.class.getName());
    var origins = Stream.of(Playground.class, Layout.class).map(PlaygroundScript::origin).toArray(URL[]::new);
    try (var classes = new URLClassLoader(origins, TeaVMTool.class.getClassLoader())) {
      tool.setClassLoader(classes);
      tool.generate();
    } catch (TeaVMToolException e) {
      throw new BrokenSiteException(List.of(NAME + ": " + e.getMessage()));
    }
    var problems = tool.getProblemProvider().getProblems().stream().map(PlaygroundScript::text).toList();
    if (!problems.isEmpty()) throw new BrokenSiteException(problems);
  }

  private static String text(Problem problem) {
    var text = new DefaultProblemTextConsumer();
    problem.render(text);
    return NAME + ": " + text.getText() + " at " + problem.getLocation();
  }

  private static URL origin(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

}
