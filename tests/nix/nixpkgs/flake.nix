{
  description = "Stands in for nixpkgs where that can't be had: names that nixpkgs has, by which ours evaluates and nothing is built";

  outputs =
    { self }:
    let
      # Without a builder: it can be named, and its path told.
      nothing =
        name: attributes:
        let
          own = [
            "env"
            "meta"
          ];
          told = removeAttrs attributes own // attributes.env or { };
        in
        derivation (
          {
            inherit name;
            builder = "nothing";
            system = "x86_64-linux";
          }
          // told
        )
        // {
          meta = attributes.meta or { };
        };
      nothingAtAll = name: nothing name { };
      program = name: attributes: nothing name (attributes // { meta.mainProgram = name; });

      lib = {
        assertMsg = condition: message: condition || throw message;
        genAttrs = names: value: builtins.foldl' (all: name: all // { ${name} = value name; }) { } names;
        hasPrefix = prefix: text: builtins.substring 0 (builtins.stringLength prefix) text == prefix;
        importJSON = path: builtins.fromJSON (builtins.readFile path);
        fetchers.proxyImpureEnvVars = [ "https_proxy" ];
        getExe = of: "${of}/bin/${of.meta.mainProgram}";
        toUpper =
          let
            letters = text: builtins.filter (letter: builtins.isString letter && letter != "") (builtins.split "" text);
          in
          builtins.replaceStrings (letters "abcdefghijklmnopqrstuvwxyz") (letters "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
      };

      # What takes named arguments lists them, so that a misspelt one is found.
      functions = {
        mkShell =
          {
            env ? { },
            packages ? [ ],
            shellHook ? "",
          }@attributes:
          nothing "nix-shell" attributes;
        runCommand =
          name: attributes: buildCommand:
          nothing name (attributes // { inherit buildCommand; });
        stdenv.mkDerivation = { name, ... }@attributes: nothing name attributes;
        writeShellApplication =
          {
            name,
            runtimeEnv ? { },
            runtimeInputs ? [ ],
            text,
          }:
          program name {
            inherit runtimeInputs text;
            env = runtimeEnv;
          };
        writeShellScriptBin = name: text: program name { inherit text; };
      };

      python = nothingAtAll "python3";
      things = {
        addDriverRunpath.driverLink = "/run/opengl-driver";
        autoPatchelfHook = nothingAtAll "auto-patchelf-hook";
        cacert = nothingAtAll "nss-cacert";
        nixfmt-tree = nothingAtAll "nixfmt-tree";
        numactl = nothingAtAll "numactl";
        python312 = python // {
          interpreter = "${python}/bin/python3.12";
        };
        python312Packages.pip = nothingAtAll "pip";
        stdenv = functions.stdenv // {
          cc = nothingAtAll "gcc-wrapper" // {
            cc.lib = nothingAtAll "gcc-lib";
          };
        };
        zlib = nothingAtAll "zlib";
      };
    in
    {
      inherit lib;
      legacyPackages.x86_64-linux = functions // things;
    };
}
