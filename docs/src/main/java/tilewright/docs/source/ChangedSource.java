package tilewright.docs.source;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLClassLoader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;

/** A Java source of the repository with one line changed, compiled and loaded: what a reader who changes it gets. */
public final class ChangedSource {
  private ChangedSource() {}

  /**
   * Returns the class of {@code source}, in which the last line that holds {@code line} reads {@code changed} instead.
   * Its package has the suffix {@code .changed}, so that the class as it is stays another; its lines keep their numbers.
   *
   * @param folder where the changed source and its class file go
   * @throws BrokenSiteException if no line holds {@code line}, or the changed source does not compile
   */
  public static Class<?> load(Path source, String line, String changed, Path folder) throws IOException {
    var text = Files.readString(source);
    int at = text.lastIndexOf(line);
    if (at < 0) throw new BrokenSiteException(List.of(source + " has no '" + line + "'"));
    var packaged = (text.substring(0, at) + changed + text.substring(at + line.length()))
        .replaceFirst("package ([\\w.]+);", "package $1.changed;");
    var file = folder.resolve(source.getFileName());
    Files.createDirectories(folder);
    Files.writeString(file, packaged);
    var errors = new ByteArrayOutputStream();
    int result = ToolProvider.getSystemJavaCompiler().run(null, errors, errors, "-proc:none", "-g", "-d",
        folder.toString(), "-cp", System.getProperty("java.class.path"), file.toString());
    if (result != 0) throw new BrokenSiteException(List.of(errors.toString(StandardCharsets.UTF_8)));
    var name = packaged.replaceAll("(?s).*?package ([\\w.]+);.*", "$1") + "."
        + source.getFileName().toString().replace(".java", "");
    try {
      // The class stays loaded as long as what uses it.
      return new URLClassLoader(new URL[] {folder.toUri().toURL()}).loadClass(name);
    } catch (ClassNotFoundException e) {
      throw new BrokenSiteException(List.of(source + " has no class " + name));
    }
  }
}
