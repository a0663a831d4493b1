package tilewright.docs.browser;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.By;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;
import tools.jackson.databind.json.JsonMapper;

/** A headless Chromium that opens pages from files and keeps what they log and request. */
final class Browser implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /** Starts Chromium; where it or its driver is missing, the tests are skipped. */
  static Browser start() {
    var chromium = program("chromium", "chromium-browser", "google-chrome");
    var driver = program("chromedriver");
    assumeTrue(chromium.isPresent() && driver.isPresent(), "no Chromium with chromedriver on the PATH");
    var logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    logs.enable(LogType.PERFORMANCE, Level.ALL);
    var options = new ChromeOptions();
    options.setBinary(chromium.get());
    options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--hide-scrollbars", "--force-device-scale-factor=1");
    options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
    // Both paths are given: Selenium would otherwise look for a driver in the network.
    var service = new ChromeDriverService.Builder().usingDriverExecutable(driver.get()).build();
    return new Browser(new ChromeDriver(service, options));
  }

  private static Optional<File> program(String... names) {
    var folders = List.of(System.getenv("PATH").split(File.pathSeparator));
    return Stream.of(names).flatMap(name -> folders.stream().map(folder -> Path.of(folder, name)))
        .filter(Files::isExecutable).map(Path::toFile).findFirst();
  }

  /** Sets the size of the page's window and the colour scheme, {@code light} or {@code dark}. */
  void show(int width, int height, String scheme) {
    driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    driver.executeCdpCommand("Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  /** Runs a script at the start of every page that is opened from now on. */
  void onEveryPage(String script) {
    driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
  }

  void open(String url) {
    driver.get(url);
    // On a busy machine axe once found neither main nor heading in a page that has both.
    until("return document.readyState == 'complete' && document.body != null");
  }

  /** Result of a script's {@code return}. */
  Object run(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  /** Result of a script that calls its last argument. */
  Object await(String script, Object... arguments) {
    driver.manage().timeouts().scriptTimeout(PATIENCE);
    return driver.executeAsyncScript(script, arguments);
  }

  WebElement find(String selector) {
    return driver.findElement(By.cssSelector(selector));
  }

  /** Waits until a script returns true. */
  void until(String script) {
    new WebDriverWait(driver, PATIENCE, Duration.ofMillis(20)).until(_ -> Boolean.TRUE.equals(run(script)));
  }

  String url() {
    return driver.getCurrentUrl();
  }

  void back() {
    driver.navigate().back();
  }

  /** The messages that pages wrote to the console since the last call, errors of scripts and of loading included. */
  List<String> console() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .map(entry -> entry.getLevel() + " " + entry.getMessage()).toList();
  }

  /** Addresses that pages requested since the last call, except of files and of data in the page itself. */
  List<String> externalRequests() {
    return driver.manage().logs().get(LogType.PERFORMANCE).getAll().stream()
        .map(entry -> JsonMapper.shared().readTree(entry.getMessage()).path("message"))
        .filter(message -> message.path("method").asString("").equals("Network.requestWillBeSent"))
        .map(message -> message.path("params").path("request").path("url").asString())
        .filter(url -> !url.matches("(file|data|blob|about):.*")).toList();
  }

  @Override
  public void close() {
    driver.quit();
  }
}
