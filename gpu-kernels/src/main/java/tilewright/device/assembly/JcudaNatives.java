package tilewright.device.assembly;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import tilewright.device.cubin.AtomicFiles;

/**
 * JCuda's native libraries, where JCuda looks for them.
 *
 * <p>JCuda unpacks its libraries from a resource of its own module into {@code java.io.tmpdir}, unless the file is
 * already there. On the module path the natives' jar is another module, which JCuda does not see; so this class unpacks
 * first.
 */
final class JcudaNatives {
  private static final String VERSION = "12.6.0";

  private JcudaNatives() {}

  /**
   * Unpacks one library, such as {@code JCudaDriver}; call before JCuda's class of that name is initialised.
   *
   * @throws UnsatisfiedLinkError when the natives' jar is absent or the file cannot be written
   */
  static void unpack(String library) {
    var file = "lib" + library + "-" + VERSION + "-linux-x86_64.so";
    try (InputStream resource = JcudaNatives.class.getClassLoader().getResourceAsStream("lib/" + file)) {
      if (resource == null) {
        throw new UnsatisfiedLinkError("jcuda-natives lacks " + file + " (only linux-x86_64 is packaged)");
      }
      var bytes = resource.readAllBytes();
      var target = Path.of(System.getProperty("java.io.tmpdir"), file);
      // A file of another length is what an interrupted JVM left; JCuda itself would load it.
      if (Files.exists(target) && Files.size(target) == bytes.length) return;
      AtomicFiles.write(target, bytes);
    } catch (IOException e) {
      throw new UnsatisfiedLinkError("cannot unpack " + file + ": " + e);
    }
  }
}
