package tilewright.junit;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/** Runs a {@link KernelTest} once per seed, with a {@link Simulation} for its parameter. */
final class KernelTestExtension implements TestTemplateInvocationContextProvider {
  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return true;
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
    int seeds = context.getRequiredTestMethod().getAnnotation(KernelTest.class).seeds();
    if (seeds < 1) throw new IllegalArgumentException("seeds is " + seeds + ", but a test needs one at least");
    return IntStream.range(0, seeds).mapToObj(Seeded::new);
  }

  /** One run of the test. */
  private record Seeded(long seed) implements TestTemplateInvocationContext, ParameterResolver {
    @Override
    public String getDisplayName(int invocationIndex) {
      return "seed " + seed;
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
      return List.of(this);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == Simulation.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return new Simulation(seed);
    }
  }
}
