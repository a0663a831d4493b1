package tilewright.cli.io;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The commit that this program was built from: Git knows it in a checkout, a bundle carries it in a file. */
public final class SourceCommit {
  /** The file's name in a bundle. */
  public static final String FILE = "commit";

  private SourceCommit() {}

  /** The commit's full name, with {@code -dirty} after it if the checkout has other changes; or {@code unknown}. */
  public static String find() {
    var home = Path.of(System.getProperty("tilewright.home", ""));
    try {
      var file = home.resolve(FILE);
      boolean carried = Files.isRegularFile(file) && Files.isReadable(file);
      return carried ? InputFile.text(file).strip() : ofCheckout(home);
    } catch (IOException _) {
      return "unknown";
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return "unknown";
    }
  }

  private static String ofCheckout(Path home) throws IOException, InterruptedException {
    var git = new ProcessBuilder("git", "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*")
        .directory(home.toAbsolutePath().toFile()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    var answer = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    return git.waitFor() == 0 ? answer : "unknown";
  }
}
