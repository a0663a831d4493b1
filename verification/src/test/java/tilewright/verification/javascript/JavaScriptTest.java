package tilewright.verification.javascript;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mozilla.javascript.BaseFunction;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.Scriptable;
import org.mozilla.javascript.ScriptableObject;
import org.mozilla.javascript.Undefined;
import org.teavm.backend.javascript.JSModuleType;
import org.teavm.diagnostics.DefaultProblemTextConsumer;
import org.teavm.tooling.TeaVMTargetType;
import org.teavm.tooling.TeaVMTool;
import org.teavm.tooling.TeaVMToolException;
import tilewright.layout.Layout;

/** The layout algebra as JavaScript: TeaVM translates it, Rhino runs it, and it answers what is known to be right. */
class JavaScriptTest {
  private static final List<String> EXPECTED = List.of(
      "(4,(2,2)):(1,(4,8)) = 16:1, size 16, cosize 16",
      "(5,(2,2)):(16,(80,4))",
      "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))",
      "((2,2),(2,3)):((4,1),(2,8))",
      "361",
      "(4,2):(2@1,1@0)",
      "Sw<3,0,3>o0o(8,8):(1,8)",
      "Sw<1,0,2>o0o8:1");

  @Test
  void theAlgebraAnswersInJavaScript(@TempDir Path folder) throws Exception {
    var printed = run(translate(folder));
    assertEquals(EXPECTED, printed.subList(0, EXPECTED.size()));
    assertTrue(printed.get(8).startsWith("complement((2,3):(3,2), 12) is undefined"), printed.get(8));
    assertEquals("overflow", printed.get(9), "an overflow is an error there too");
    assertEquals(10, printed.size());
  }

  /** Translates {@link Answers} and all it uses; whatever TeaVM lacks of the JDK is a failure. */
  private static Path translate(Path folder) throws TeaVMToolException, IOException, URISyntaxException {
    var tool = new TeaVMTool();
    tool.setTargetType(TeaVMTargetType.JAVASCRIPT);
    tool.setJsModuleType(JSModuleType.UMD);
    tool.setTargetDirectory(folder.toFile());
    tool.setTargetFileName("answers.js");
    tool.setMainClass(Answers.class.getName());
    try (var classes = new URLClassLoader(new URL[] {origin(Answers.class), origin(Layout.class)},
        TeaVMTool.class.getClassLoader())) {
      tool.setClassLoader(classes);
      tool.generate();
    }
    var problems = tool.getProblemProvider().getProblems().stream().map(problem -> {
      var text = new DefaultProblemTextConsumer();
      problem.render(text);
      return text.getText() + " at " + problem.getLocation();
    }).toList();
    assertEquals(List.of(), problems);
    return folder.resolve("answers.js");
  }

  private static URL origin(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  /** What the program prints. */
  private static List<String> run(Path script) throws IOException {
    var printed = new ArrayList<String>();
    try (var context = Context.enter()) {
      context.setLanguageVersion(Context.VERSION_ECMASCRIPT);
      context.setInterpretedMode(true);
      var scope = context.initStandardObjects();
      var console = (ScriptableObject) context.newObject(scope);
      ScriptableObject.putProperty(console, "info", new Print(printed));
      ScriptableObject.putProperty(scope, "console", console);
      ScriptableObject.putProperty(scope, "exports", context.newObject(scope));
      context.evaluateString(scope, Files.readString(script), script.toString(), 1, null);
      context.evaluateString(scope, "exports.main(['(4,(2,2)):(1,(4,8))'])", "call", 1, null);
    }
    return printed;
  }

  private static final class Print extends BaseFunction {
    private static final long serialVersionUID = 1;

    private final transient List<String> lines;

    Print(List<String> lines) {
      this.lines = lines;
    }

    @Override
    public Object call(Context context, Scriptable scope, Scriptable receiver, Object[] arguments) {
      lines.add(Context.toString(arguments[0]));
      return Undefined.instance;
    }
  }
}
