{
  description = "Stands in for nixpkgs where that can't be had: names that nixpkgs has, by which ours evaluates and nothing is built";

  outputs =
    { self }:
    let
      system = "x86_64-linux";

      lib = {
        assertMsg = condition: message: condition || throw message;
        fetchers.proxyImpureEnvVars = [ "https_proxy" ];
        genAttrs =
          names: f:
          builtins.listToAttrs (
            map (name: {
              inherit name;
              value = f name;
            }) names
          );
        getExe = package: "${package}/bin/${package.meta.mainProgram}";
        hasPrefix = prefix: text: builtins.substring 0 (builtins.stringLength prefix) text == prefix;
        importJSON = path: builtins.fromJSON (builtins.readFile path);
        inherit (builtins) mapAttrs;
        toUpper =
          let
            letters = text: builtins.filter (letter: builtins.isString letter && letter != "") (builtins.split "" text);
          in
          builtins.replaceStrings (letters "abcdefghijklmnopqrstuvwxyz") (letters "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
      };

      mkDerivation =
        {
          env ? { },
          meta ? { },
          ...
        }@attributes:
        derivation (
          removeAttrs attributes [
            "env"
            "meta"
          ]
          // env
          // {
            inherit system;
            builder = "/bin/sh";
            args = [
              "-c"
              "exit 1"
            ];
          }
        )
        // {
          inherit meta;
        };

      package = name: mkDerivation { inherit name; };

      mkScript =
        name: attributes:
        mkDerivation (
          attributes
          // {
            inherit name;
            meta.mainProgram = name;
          }
        );

      packages =
        lib.genAttrs [
          "autoPatchelfHook"
          "cacert"
          "nixfmt-tree"
          "numactl"
          "zlib"
        ] package
        // {
          addDriverRunpath.driverLink = "/run/opengl-driver";
          mkShell =
            {
              packages ? [ ],
              env ? { },
              shellHook ? "",
            }:
            mkDerivation {
              name = "nix-shell";
              inherit packages env shellHook;
            };
          python312 = package "python3" // {
            interpreter = "${package "python3"}/bin/python3.12";
          };
          python312Packages.pip = package "pip";
          runCommand =
            name: attributes: buildCommand:
            mkDerivation (attributes // { inherit name buildCommand; });
          stdenv = {
            inherit mkDerivation;
            cc = package "gcc-wrapper" // {
              cc.lib = package "gcc-lib";
            };
          };
          writeShellApplication =
            {
              name,
              text,
              runtimeInputs ? [ ],
              runtimeEnv ? { },
            }:
            mkScript name {
              inherit text runtimeInputs;
              env = runtimeEnv;
            };
          writeShellScriptBin = name: text: mkScript name { inherit text; };
        };
    in
    {
      inherit lib;
      legacyPackages.${system} = packages;
    };
}
