package tilewright.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;

/** Exported kernels in a process of Python alone, without Java, on PyTorch's tensors. */
@Tag("gpu")
class ExportFromPythonTest {
  /** Prints of each kernel whether its error is at most 1.5 times PyTorch's, both from FP64. */
  private static final String SCRIPT = """
      import torch
      from tilewright_kernel import Kernel

      torch.manual_seed(1)
      torch.backends.cuda.matmul.allow_tf32 = False


      def normal(*shape, dtype=torch.float32):
          return torch.randn(*shape, device="cuda").to(dtype)


      def judge(name, ours, theirs, exact):
          torch.cuda.synchronize()
          error, allowed = ((x.double() - exact).abs().max().item() for x in (ours, theirs))
          print(name, "right" if error <= 1.5 * allowed else f"error {error} beside PyTorch's {allowed}")


      x = normal(777, 4096, dtype=torch.bfloat16)
      y = torch.empty_like(x)
      Kernel("softmax")(X=x, Y=y)
      judge("softmax", y, torch.softmax(x, 1), torch.softmax(x.double(), 1))

      x = normal(1000, 516)
      y = torch.empty(516, 1000, device="cuda")
      Kernel("mat_transpose")(X=x, Y=y)
      judge("mat_transpose", y, x.T, x.T.double())

      x, y = torch.randint(-8, 9, (1 << 20,), device="cuda").float(), torch.empty(1, device="cuda")
      total = Kernel("sum")
      for _ in range(2):  # the second finds the scratch memory as the first has left it
          total(X=x, Y=y)
      judge("sum", y, x.sum(), x.double().sum())

      x, w, b = normal(333, 4096), normal(4096), normal(4096)
      y = torch.empty_like(x)
      Kernel("layer_norm")(X=x, Y=y, W=w, B=b)
      norm = torch.nn.functional.layer_norm
      judge("layer_norm", y, norm(x, (4096,), w, b), norm(x.double(), (4096,), w.double(), b.double()))

      q, k, v = (normal(2, 301, 16, 128, dtype=torch.bfloat16) for _ in range(3))
      o, lse = torch.empty_like(q), torch.empty(301, 16, 2, device="cuda")
      Kernel("sm80_attention")(Q=q.permute(1, 3, 2, 0), K=k.permute(1, 3, 2, 0), V=v.permute(3, 1, 2, 0),
                               O=o.permute(1, 3, 2, 0), LSE=lse, scale=128 ** -0.5)


      def attend(*qkv):
          heads_first = (x.transpose(1, 2) for x in qkv)
          return torch.nn.functional.scaled_dot_product_attention(*heads_first).transpose(1, 2)


      judge("sm80_attention", o, attend(q, k, v), attend(q.double(), k.double(), v.double()))

      if torch.cuda.get_device_capability() == (9, 0):  # wgmma and copies by tensor maps, which the loader makes
          a, b = normal(1000, 2048, 1, dtype=torch.bfloat16), normal(520, 2048, 1, dtype=torch.bfloat16)
          c = torch.empty(1000, 520, 1, dtype=torch.bfloat16, device="cuda")
          Kernel("sm90_gemm")(A=a, B=b, C=c, alpha=1.0)
          a, b = a[:, :, 0], b[:, :, 0]
          judge("sm90_gemm", c[:, :, 0], a @ b.T, a.double() @ b.double().T)

          # Each launch reads what the one before writes, and its weights, the rows, before that one has ended.
          ahead, weights = Kernel("ahead"), [normal(4096, 4096, 1, dtype=torch.bfloat16) for _ in range(3)]
          first = normal(16, 4096, 1, dtype=torch.bfloat16)


          def chain(waits):
              x, y = first.clone(), torch.empty_like(first)
              for i in range(60):
                  ahead(A=weights[i % 3], B=x, C=y.transpose(0, 1), alpha=1 / 64)
                  x, y = y, x
                  if waits:
                      torch.cuda.synchronize()
              torch.cuda.synchronize()
              return x


          print("ahead", "right" if torch.equal(chain(False), chain(True)) else "has other bits than if waited for")
      else:
          print("sm90_gemm right\\nahead right")
      """;

  @TempDir
  Path folder;

  @Test
  void kernelsRunOnTensorsOfPyTorch() throws IOException, InterruptedException {
    assumeTrue(Gpu.probe() instanceof GpuProbe.Available, "no GPU");
    assumeTrue(python("-c", "import torch; print(torch.cuda.is_available())").strip().equals("True"),
        "no python3 with PyTorch for this GPU");
    export("softmax", "dtype=bf16");
    export("mat_transpose");
    export("sum");
    export("layer_norm");
    export("sm80_attention", "batch=2");
    export("sm90_gemm", "tile=128x256x1");
    exportTo("ahead", "sm90_gemm", "m=16", "n=4096", "k=4096", "weights=ahead");
    Files.copy(folder.resolve("softmax").resolve(ExportCommand.LOADER), folder.resolve(ExportCommand.LOADER));
    Files.writeString(folder.resolve("run.py"), SCRIPT);
    assertEquals("""
        softmax right
        mat_transpose right
        sum right
        layer_norm right
        sm80_attention right
        sm90_gemm right
        ahead right
        """, python("run.py"));
  }

  private void export(String kernel, String... settings) {
    exportTo(kernel, kernel, settings);
  }

  private void exportTo(String name, String kernel, String... settings) {
    var arguments = new ArrayList<>(List.of("export", kernel, "--out", folder.resolve(name).toString()));
    for (var setting : settings) arguments.addAll(List.of("--set", setting));
    var run = Cli.run(arguments.toArray(String[]::new));
    assertEquals(Exit.OK, run.exitCode(), run.err());
  }

  /** Both streams; where there is no Python, why. */
  private String python(String... arguments) throws InterruptedException {
    var command = new ArrayList<>(List.of("python3"));
    command.addAll(List.of(arguments));
    try {
      var process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
      var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return text;
    } catch (IOException e) {
      return e.getMessage();
    }
  }
}
