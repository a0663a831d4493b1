package tilewright.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks a test of a kernel. The method takes a {@link Simulation}, whose runs fail the test with a report of every
 * mistake that the sanitizer finds:
 *
 * {@snippet :
 * @KernelTest
 * void reluClipsAtZero(Simulation simulation) {
 *   var run = simulation.kernel(new Relu()).in("X", new float[] {-1, 2}).out("Y").run();
 *   assertArrayEquals(new float[] {0, 2}, run.floats("Y"));
 * }
 * }
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(KernelTestExtension.class)
public @interface KernelTest {
  /** How often the test runs, each time with another order of warps and asynchronous copies. */
  int seeds() default 1;
}
