package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.Target;

/** Assembles the streamed row kernels for every length that they stream: without spills. */
class StreamedRowsAssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();

  @ParameterizedTest
  @CsvSource({"layer_norm,f32,16384", "rms_norm,f32,16384", "layer_norm,f32,32768", "layer_norm,f32,65536",
      "layer_norm,f32,131072", "layer_norm,bf16,16384", "layer_norm,bf16,131072", "layer_norm,bf16,262144",
      "rms_norm,f32,131072", "rms_norm,bf16,262144", "softmax,f32,65536", "softmax,bf16,131072"})
  void isAssembledWithoutSpills(String name, String type, int columns) {
    var family = RegisteredFamilies.named(name);
    var choice = family.defaults().with(Map.of("m", "264", "n", "" + columns, "dtype", type));
    assertEquals(Target.SM90A, family.target(choice), "not streamed");
    switch (ASSEMBLER.assemble(family.workload(choice).launch().kernel().ptx(), "sm_90a")) {
      case Assembly.Assembled assembled ->
        assertEquals(List.of(0), assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList());
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
